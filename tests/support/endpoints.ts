/** The handlers of the endpoints, as their files export them. */
import { join } from "node:path";
import type { Handler } from "../../lib/http/definition.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";

export const ROOT = join(import.meta.dirname, "../..");

/** The handler of an endpoint, from its file. */
export const loadHandler = async (file: string): Promise<Handler> => {
  const module: { handler: Handler } = await import(join(ROOT, file));
  return module.handler;
};

/** The handler of every endpoint of the API, by its route. */
export const loadEndpoints = async (): Promise<Map<string, Handler>> => {
  const endpoints = new Map<string, Handler>();
  for (const { file, route, isPage } of listedFunctions()) {
    if (route !== undefined && !isPage) endpoints.set(route, await loadHandler(file));
  }
  return endpoints;
};
