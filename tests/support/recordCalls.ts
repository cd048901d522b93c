/** After each file of stories: what its functions have asked for. */
import { afterAll, expect } from "vitest";
import { tell } from "./calls.ts";

afterAll(async () => {
  await tell(expect.getState().testPath ?? "");
});
