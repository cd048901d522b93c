/**
 * A function's first request: a fresh process loads a bundle and answers. It is told over standard input, tells over
 * the file descriptor 3, and is no TypeScript, because reading that takes time too.
 */
import { readFileSync, writeSync } from "node:fs";

const { bundle, event, requestId } = JSON.parse(readFileSync(0, "utf8"));
const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => 20_000 };

const [before, cpu] = [performance.now(), process.cpuUsage()];
const { handler } = await import(bundle);
const loaded = performance.now();
const reply = await handler(event, context);
const answered = performance.now();
const { user, system } = process.cpuUsage(cpu);
// The process's clock began with it.
writeSync(
  3,
  JSON.stringify({
    load: loaded - before,
    answer: answered - loaded,
    all: answered,
    cpu: (user + system) / 1_000,
    reply,
  }),
);
process.exit();
