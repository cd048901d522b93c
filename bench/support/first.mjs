/**
 * Measures a function's first request: loads a bundle and responds. Reads standard input and writes to the file
 * descriptor 3. It is not TypeScript, because stripping types takes time.
 */
import { readFileSync, writeSync } from "node:fs";

const { bundle, event, requestId } = JSON.parse(readFileSync(0, "utf8"));
const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => 20_000 };

const [before, cpu] = [performance.now(), process.cpuUsage()];
const { handler } = await import(bundle);
const loaded = performance.now();
const reply = await handler(event, context);
const responded = performance.now();
const { user, system } = process.cpuUsage(cpu);
const times = { load: loaded - before, respond: responded - loaded, cpu: (user + system) / 1_000 };
writeSync(3, JSON.stringify({ ...times, reply }));
process.exit();
