/** The deployment that a command is about: its stage, its region, and what things are called there. */

import { UserError } from "../cli/userError.ts";
import { REGION } from "../local/settings.ts";
import { type CredentialSource, chooseCredentials } from "./credentials.ts";

/** A deployment of the service, by the names that serverless.yml gives. */
export interface Stage {
  stage: string;
  region: string;
  /** The stack, the table, and what the names of functions begin with. */
  name: string;
  /** What the names of its parameters begin with. */
  parameters: string;
  /** The deployment in words. */
  words: string;
  /** What names it for another command. */
  options: string;
  /** Where the credentials come from that this process takes. */
  credentials: CredentialSource;
}

/** The options by which a command is told its deployment. */
export const STAGE_OPTIONS = {
  stage: { type: "string" },
  region: { type: "string" },
} as const;

/** What `--help` says of them. */
export const STAGE_HELP = `  --stage STAGE    which deployment: small letters, digits and hyphens, such as spring
  --region REGION  where it is; AWS_REGION otherwise, or ${REGION}`;

/** What API Gateway, Lambda and CloudFormation take in a name, with room for the longest of ours. */
const STAGE = /^(?=.{1,25}$)[a-z](?:-?[a-z0-9])*$/;
const A_REGION = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/;

/** The names of a stage. */
export const namesOf = (stage: string) => ({
  name: `zombie-game-${stage}`,
  parameters: `/zombie-game/${stage}`,
});

/**
 * The region that is named by an option or the environment. It is that of every client of this process from then on.
 * @throws UserError when it can be none
 */
export const regionOf = (given: string | undefined): string => {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  // An empty one counts as absent.
  const region = (given ?? AWS_REGION) || AWS_DEFAULT_REGION || REGION;
  if (!A_REGION.test(region)) {
    throw new UserError(`${region} is no region of AWS: give --region, such as ${REGION} or us-east-1.`);
  }
  process.env.AWS_REGION = region;
  return region;
};

/**
 * The deployment that options name. Its region and its credentials are those of this process from then on.
 * @throws UserError when there is no stage, or one of the two can be none
 */
export const stageOf = (
  given: { stage?: string | undefined; region?: string | undefined },
  command: string,
): Stage => {
  const { stage } = given;
  if (stage === undefined) throw new UserError(`Which deployment? npm run ${command} -- --stage spring`);
  if (!STAGE.test(stage)) {
    throw new UserError(
      `--stage ${stage}: a stage is up to 25 small letters, digits and single hyphens, and begins with a letter.`,
    );
  }
  const region = regionOf(given.region);
  return {
    stage,
    region,
    ...namesOf(stage),
    words: `stage ${stage} in ${region}`,
    options: `--stage ${stage} --region ${region}`,
    credentials: chooseCredentials(stage),
  };
};
