/** Reads the functions from `serverless.yml` and the `functions.yml` of each module. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod/mini";
import { ROOT } from "./root.ts";

/** What was parsed, by its text: all definitions together take a tenth of a second. */
const parsed = new Map<string, unknown>();

/** Reads a definition file; CloudFormation's tags are parsed as plain strings. The result must not be changed. */
const readDefinition = (file: string): unknown => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const known: unknown = parsed.get(text) ?? parse(text, { logLevel: "error" });
  parsed.set(text, known);
  return known;
};

const Provider = z.looseObject({ provider: z.looseObject({ timeout: z.int(), memorySize: z.int() }) });

/** The default timeout in seconds and memory in MB. */
export const defaultSettings = (): { timeout: number; memorySize: number } =>
  Provider.parse(readDefinition("serverless.yml")).provider;

/** Returns the `functions.yml` of every module, not validated. */
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

/** The folder of the functions that serve the web app. */
export const WEB_FUNCTIONS = "functions/web/";
/** The one of them that serves the assets. */
export const PAGES_FUNCTION = "app";

export interface ListedFunction {
  name: string;
  /** The handler's file, relative to the repository. */
  file: string;
  /** Method and path of an endpoint. */
  route: string | undefined;
  /** The same with those of its HEAD, if it has one. */
  routes: readonly string[];
  /** Whether it serves pages of the web app instead of the API. */
  isPage: boolean;
  /** The limit of an invocation, in seconds. */
  timeout: number;
  /** In MB. */
  memory: number;
  /** Whether it processes messages of the queue. */
  isQueued: boolean;
}

/** Returns all functions of all modules. */
export const listedFunctions = (): ListedFunction[] => {
  const usual = defaultSettings();
  return functionFiles().flatMap(({ functions }) =>
    Object.entries(Functions.parse(functions)).map(([name, { handler, timeout, memorySize, events }]) => ({
      name,
      file: handler.replace(/\.handler$/, ".ts"),
      route: events[0]?.httpApi,
      routes: events.flatMap(({ httpApi = [] }) => httpApi),
      isPage: handler.startsWith(WEB_FUNCTIONS),
      timeout: timeout ?? usual.timeout,
      memory: memorySize ?? usual.memorySize,
      isQueued: events.some(({ sqs }) => sqs !== undefined),
    })),
  );
};

/** Returns the memory of each function in MB, by name. */
export const memoryByName = (): ReadonlyMap<string, number> =>
  new Map(listedFunctions().map(({ name, memory }) => [name, memory]));
