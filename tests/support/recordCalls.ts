/** After each file of stories: what its functions have asked for. */
import { afterAll, expect } from "vitest";
import { recordFile } from "./calls.ts";

afterAll(async () => {
  await recordFile(expect.getState().testPath ?? "");
});
