/** Before each file of tests: what it looks at has been packaged. */
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";
import { told } from "./told.ts";

let found = await told(inject("packaging"));
while (found === null) {
  await pause(100);
  found = await told(inject("packaging"));
}
if (found.fault !== null) throw new Error(found.fault);
