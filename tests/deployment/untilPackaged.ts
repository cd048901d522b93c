/** Waits before each test file until the service has been packaged. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";

const readResult = () => readFile(inject("packaging"), "utf8").catch(() => null);

let error = await readResult();
for (; error === null; error = await readResult()) await sleep(100);
if (error !== "") throw new Error(error);
