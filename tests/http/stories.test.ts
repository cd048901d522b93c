/**
 * The stories that are told in process too, and those of the gateway, through `npm start`. There is one service with one
 * table, so they are told one after the other: in one file, beside which all others run.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { ROOT } from "../support/endpoints.ts";

/** The table of transitions has been walked through in process; over HTTP it says nothing more. */
const TOLD_ENOUGH = "transitions.test.ts";

const stories = readdirSync(join(ROOT, "tests/behaviour"))
  .filter((name) => name.endsWith(".test.ts") && name !== TOLD_ENOUGH)
  .map((name) => `tests/behaviour/${name}`);

describe.each([...stories, "tests/http/access.test.ts", "tests/http/gateway.test.ts"])("%s", async (file) => {
  await import(join(ROOT, file));
});
