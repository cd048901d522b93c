/** The deployment that a command works on: its stage, region and names. */
import { UserError } from "../cli/userError.ts";
import { REGION } from "../local/settings.ts";
import { type CredentialSource, chooseCredentials } from "./credentials.ts";

/** A deployment, with the names from serverless.yml. */
export interface Stage {
  stage: string;
  region: string;
  /** The name of the stack and the table, and the prefix of function names. */
  name: string;
  /** The prefix of parameter names. */
  parameters: string;
  /** Describes the deployment in messages. */
  label: string;
  /** The options that select it in another command. */
  options: string;
  /** The source of this process's credentials. */
  credentials: CredentialSource;
}

/** The options that select a deployment. */
export const STAGE_OPTIONS = {
  stage: { type: "string" },
  region: { type: "string" },
} as const;

/** The `--help` text of these options. */
export const STAGE_HELP = `  --stage STAGE    the deployment: lower-case letters, digits and hyphens, such as spring
  --region REGION  its region; defaults to AWS_REGION, then ${REGION}`;

/** Stages whose names API Gateway, Lambda and CloudFormation accept, also with the longest suffix. */
const STAGE = /^(?=.{1,25}$)[a-z](?:-?[a-z0-9])*$/;
const A_REGION = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/;

/** Returns the names of a stage. */
export const namesOf = (stage: string) => ({
  name: `zombie-game-${stage}`,
  parameters: `/zombie-game/${stage}`,
});

/**
 * Returns the region of an option or the environment, and sets it for all clients of this process.
 * @throws UserError if it is not a region
 */
export const regionOf = (given: string | undefined): string => {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  // Empty values count as absent.
  const region = (given ?? AWS_REGION) || AWS_DEFAULT_REGION || REGION;
  if (!A_REGION.test(region)) {
    throw new UserError(`${region} is not an AWS region. Give --region, such as ${REGION} or us-east-1.`);
  }
  process.env.AWS_REGION = region;
  return region;
};

/**
 * Returns the deployment that the options select, and sets its region and credentials for this process.
 * @throws UserError if the stage is missing, or the stage or region is invalid
 */
export const stageOf = (
  given: { stage?: string | undefined; region?: string | undefined },
  command: string,
): Stage => {
  const { stage } = given;
  if (stage === undefined)
    throw new UserError(`The option --stage is missing, as in: npm run ${command} -- --stage spring`);
  if (!STAGE.test(stage)) {
    throw new UserError(
      `--stage ${stage} is invalid: a stage has up to 25 lower-case letters, digits and single hyphens, and starts with a letter.`,
    );
  }
  const region = regionOf(given.region);
  return {
    stage,
    region,
    ...namesOf(stage),
    label: `stage ${stage} in ${region}`,
    options: `--stage ${stage} --region ${region}`,
    credentials: chooseCredentials(stage),
  };
};
