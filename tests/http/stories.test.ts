/**
 * The stories that are told in process too, and those of the gateway, through `npm start`. There is one service with one
 * table, so they are told one after the other: in one file, beside which all others run.
 */
import { join } from "node:path";
import { describe, inject } from "vitest";
import { ROOT } from "../support/endpoints.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Their files, from the root. */
    stories: string[];
  }
}

describe.each(inject("stories"))("%s", async (file) => {
  await import(join(ROOT, file));
});
