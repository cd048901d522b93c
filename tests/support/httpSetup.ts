/** Starts the whole service once for the stories that come in over HTTP, on an engine of its own. */
import type { TestProject } from "vitest/node";
import { startEngine } from "../../scripts/local/engine.ts";
import { CURSOR_KEY } from "./constants.ts";
import { npmStart } from "./npmStart.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the service answers. */
    base: string;
    /** Where its database does, to look behind the answers. */
    engine: string;
    table: string;
  }
}

const TABLE_NAME = "zombie-game-http-tests";

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const engine = await startEngine();
  const service = await npmStart({ DYNAMODB_ENDPOINT: engine.endpoint, TABLE_NAME, CURSOR_KEY });
  project.provide("base", service.base);
  project.provide("engine", engine.endpoint);
  project.provide("table", TABLE_NAME);
  return async () => {
    await service.stop();
    await engine.stop();
  };
};
