/** Waits before each test file until the service has been packaged. */
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { readResult } from "./packagingResult.ts";

let result = await readResult(inject("packaging"));
while (result === null) {
  await sleep(100);
  result = await readResult(inject("packaging"));
}
if (result.error !== null) throw new Error(result.error);
