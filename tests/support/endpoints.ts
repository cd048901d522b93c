/** The endpoints as the YAML lists them, and their handlers as the files export them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod/mini";
import type { Handler } from "../../lib/http/endpoint.ts";

export const ROOT = join(import.meta.dirname, "../..");

const Functions = z.record(
  z.string(),
  z.looseObject({
    handler: z.string(),
    timeout: z.optional(z.int()),
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
  /** Whether messages of the queue come to it. */
  isQueued: boolean;
}

const Provider = z.looseObject({ provider: z.looseObject({ timeout: z.int() }) });

/** What holds for a function that says nothing else. */
const usualTimeout = (): number =>
  Provider.parse(parse(readFileSync(join(ROOT, "serverless.yml"), "utf8"), { logLevel: "error" })).provider
    .timeout;

/** Every function of every module's YAML. */
export const listedFunctions = (): ListedFunction[] =>
  readdirSync(join(ROOT, "functions"), { withFileTypes: true })
    .filter((entry) => existsSync(join(ROOT, "functions", entry.name, "functions.yml")))
    .flatMap(({ name: module }) => {
      const yaml = readFileSync(join(ROOT, "functions", module, "functions.yml"), "utf8");
      return Object.entries(Functions.parse(parse(yaml, { logLevel: "error" }))).map(
        ([name, { handler, events, timeout = usualTimeout() }]) => ({
          name,
          file: handler.replace(/\.handler$/, ".ts"),
          route: events[0]?.httpApi,
          timeout,
          isQueued: events.some(({ sqs }) => sqs !== undefined),
        }),
      );
    });

/** The handler of an endpoint, from its file. */
export const loadHandler = async (file: string): Promise<Handler> => {
  const module: { handler: Handler } = await import(join(ROOT, file));
  return module.handler;
};

/** Every endpoint's handler, by its route. */
export const loadEndpoints = async (): Promise<Map<string, Handler>> => {
  const endpoints = new Map<string, Handler>();
  for (const { file, route } of listedFunctions()) {
    if (route !== undefined) endpoints.set(route, await loadHandler(file));
  }
  return endpoints;
};
