/** The functions as `serverless.yml` and the `functions.yml` of each module list them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod/mini";
import { ROOT } from "./root.ts";

/** A file of the service's definition; CloudFormation's own tags are read as the words behind them. */
const readDefinition = (file: string): unknown =>
  parse(readFileSync(join(ROOT, file), "utf8"), { logLevel: "error" });

const Provider = z.looseObject({ provider: z.looseObject({ timeout: z.int(), memorySize: z.int() }) });

/** What holds for a function that says nothing else: the seconds of an invocation, and MB. */
export const defaultSettings = (): { timeout: number; memorySize: number } =>
  Provider.parse(readDefinition("serverless.yml")).provider;

/** The `functions.yml` of every module, not judged yet. */
export const functionFiles = (): { file: string; functions: unknown }[] =>
  readdirSync(join(ROOT, "functions"))
    .map((module) => `functions/${module}/functions.yml`)
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => ({ file, functions: readDefinition(file) }));

const Functions = z.record(
  z.string(),
  z.looseObject({
    handler: z.string(),
    timeout: z.optional(z.int()),
    memorySize: z.optional(z.int()),
    events: z.array(z.looseObject({ httpApi: z.optional(z.string()), sqs: z.optional(z.unknown()) })),
  }),
);

export interface ListedFunction {
  name: string;
  /** File of the handler, from the root. */
  file: string;
  /** Method and path, for an endpoint. */
  route: string | undefined;
  /** Of one invocation, in seconds. */
  timeout: number;
  /** In MB. */
  memory: number;
  /** Whether messages of the queue come to it. */
  isQueued: boolean;
}

/** Every function of every module. */
export const listedFunctions = (): ListedFunction[] => {
  const usual = defaultSettings();
  return functionFiles().flatMap(({ functions }) =>
    Object.entries(Functions.parse(functions)).map(([name, { handler, timeout, memorySize, events }]) => ({
      name,
      file: handler.replace(/\.handler$/, ".ts"),
      route: events[0]?.httpApi,
      timeout: timeout ?? usual.timeout,
      memory: memorySize ?? usual.memorySize,
      isQueued: events.some(({ sqs }) => sqs !== undefined),
    })),
  );
};

/** The memory of every function by its name, in MB. */
export const memoryByName = (): ReadonlyMap<string, number> =>
  new Map(listedFunctions().map(({ name, memory }) => [name, memory]));
