/** Stores the recorded calls after each test file. */
import { afterAll, expect } from "vitest";
import { recordFile } from "./calls.ts";

afterAll(async () => {
  await recordFile(expect.getState().testPath ?? "");
});
