/**
 * Runs the behaviour tests, and those of the gateway, over HTTP against `npm start`. All use one service and one table,
 * so they run one after the other in this file.
 */
import { join } from "node:path";
import { describe, inject } from "vitest";
import { ROOT } from "../support/endpoints.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The test files, relative to the repository. */
    stories: string[];
  }
}

describe.each(inject("stories"))("%s", async (file) => {
  await import(join(ROOT, file));
});
