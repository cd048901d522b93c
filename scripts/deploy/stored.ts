/**
 * The deployments whose files are still in the stage's bucket. The framework stores each under the time at which it was
 * packaged, also those that failed, and keeps the last five. An object below `ran/` names each one that has run.
 */
import { GetTemplateCommand } from "@aws-sdk/client-cloudformation";
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import * as z from "zod/mini";
import { errorName, explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import { listResources } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { Template } from "./template.ts";

const FunctionProperties = z.looseObject({
  Code: z.looseObject({ S3Key: z.string() }),
  Environment: z.optional(z.looseObject({ Variables: z.record(z.string(), z.unknown()) })),
});

type FunctionProperties = z.infer<typeof FunctionProperties>;

export interface StoredDeployment {
  /** The framework's name of its folder: the time in milliseconds, and as a date. */
  folder: string;
  template: Template;
}

/** The deployment that runs, and the names of all that are stored. */
export interface StoredDeployments {
  bucket: string;
  running: StoredDeployment;
  folders: ReadonlySet<string>;
  /** Those that have run, the one that ran last first. */
  ran: readonly string[];
}

const FOLDER = /^\d+-\d{4}-\d\d-\d\dT[^/]+$/;
const TEMPLATE = "compiled-cloudformation-template.json";
const RAN = "ran";

const prefixOf = ({ stage }: Stage): string => `serverless/zombie-game/${stage}`;

/** When a deployment was packaged. */
export const packagedAt = (folder: string): Date => new Date(Number(folder.split("-")[0]));

/** The properties of the functions of a template. */
export const functionsOf = ({ Resources }: Template): FunctionProperties[] =>
  Object.values(Resources).flatMap(({ Type, Properties }) =>
    Type === "AWS::Lambda::Function" ? [FunctionProperties.parse(Properties)] : [],
  );

/** Reads the template that CloudFormation has executed. @returns `null` if it has no functions yet */
const readRunning = async (
  { cloudFormation, region }: Clients,
  { name }: Stage,
): Promise<StoredDeployment | null> => {
  const { TemplateBody = "" } = await explainingErrors(region, "read the template of the stack", () =>
    cloudFormation.send(new GetTemplateCommand({ StackName: name, TemplateStage: "Original" })),
  );
  const template = Template.parse(JSON.parse(TemplateBody));
  const folder = functionsOf(template)[0]?.Code.S3Key.split("/").at(-2);
  return folder === undefined || !FOLDER.test(folder) ? null : { folder, template };
};

/** Returns what is stored of a stage's deployments; `null` before the first deploy has succeeded. */
export const findStored = async (clients: Clients, stage: Stage): Promise<StoredDeployments | null> => {
  const { s3, region } = clients;
  const bucket = (await listResources(clients, stage)).get("ServerlessDeploymentBucket")?.id;
  const running = bucket === undefined ? null : await readRunning(clients, stage);
  if (bucket === undefined || running === null) return null;
  const prefix = `${prefixOf(stage)}/`;
  const folders = new Set<string>();
  const ran = new Map<string, number>();
  await explainingErrors(region, `list the bucket ${bucket}`, async () => {
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: bucket, Prefix: prefix },
    )) {
      for (const { Key = "", LastModified } of Contents) {
        const [folder = "", file = ""] = Key.slice(prefix.length).split("/");
        if (folder === RAN) ran.set(file, LastModified?.getTime() ?? 0);
        else if (FOLDER.test(folder)) folders.add(folder);
      }
    }
  });
  const byTime = [...ran].toSorted(([, one], [, other]) => other - one);
  return { bucket, running, folders, ran: byTime.map(([folder]) => folder) };
};

/** Records that the running deployment has run, before another one replaces it. */
export const recordRunning = async (
  { s3, region }: Clients,
  stage: Stage,
  { bucket, running }: StoredDeployments,
): Promise<void> => {
  const Key = `${prefixOf(stage)}/${RAN}/${running.folder}`;
  await explainingErrors(region, `write to the bucket ${bucket}`, () =>
    // The SDK warns of a body of unknown length if it is empty.
    s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: running.folder })),
  );
};

/** Reads a file of a deployment; `null` if there is none. */
export const readStored = async (
  { s3, region }: Clients,
  stage: Stage,
  bucket: string,
  folder: string,
  file: string,
): Promise<Uint8Array | null> => {
  const Key = `${prefixOf(stage)}/${folder}/${file}`;
  return explainingErrors(region, `read the bucket ${bucket}`, async () => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      return (await Body?.transformToByteArray()) ?? null;
    } catch (error) {
      if (errorName(error) === "NoSuchKey") return null;
      throw error;
    }
  });
};

const hasOlder = (folder: string, { running }: StoredDeployments): boolean =>
  packagedAt(folder) < packagedAt(running.folder);

/**
 * Returns the previous deployment: the one that ran before the running one. After a rollback this is the one before the
 * deployment that was rolled back to, not the one that was rolled back.
 * @returns `null` if none has run or its files are gone
 */
export const findPrevious = async (
  clients: Clients,
  stage: Stage,
  stored: StoredDeployments,
): Promise<StoredDeployment | null> => {
  const folder = stored.ran.find((one) => hasOlder(one, stored));
  if (folder === undefined) return null;
  const bytes = await readStored(clients, stage, stored.bucket, folder, TEMPLATE);
  return bytes === null
    ? null
    : { folder, template: Template.parse(JSON.parse(Buffer.from(bytes).toString())) };
};

/** Whether no later deployment than the running one is stored. One that failed or was rolled back is later. */
export const isRunningLatest = ({ running, folders }: StoredDeployments): boolean =>
  [...folders].every((folder) => packagedAt(folder) <= packagedAt(running.folder));
