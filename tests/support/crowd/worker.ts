/** A worker of the queue in a process of its own, as on Lambda: it works until it is stopped or killed. */
import type { SQSEvent } from "aws-lambda";
import { handler } from "../../../functions/notifications/deliver.ts";
import { makeServices } from "../../../lib/lambda/services.ts";
import { parseEnv } from "../../../lib/runtime/env.ts";
import { lambdaContext } from "../../../scripts/local/inProcess.ts";
import { openQueueSource } from "../../../scripts/local/queueSource.ts";

const env = parseEnv(process.env);
const { CROWD_CERT: ca = "" } = process.env;
const usual = makeServices(env, { retryPauseMs: 200 });
const deliver = handler.on({ ...usual, push: { ...usual.push, ca } });
const source = openQueueSource({
  url: env.QUEUE_URL ?? "",
  endpoint: env.QUEUE_ENDPOINT,
  region: "local",
  batchSize: 4,
  reportsFailures: true,
});

let ending = false;
process.on("message", () => {
  ending = true;
});
const context = lambdaContext(() => 60_000);
const invoke: Parameters<typeof source.takeBatch>[0] = (event) =>
  // The source makes the events of a queue and no others.
  deliver(event as SQSEvent, context);
while (!ending) await source.takeBatch(invoke, 1);
process.exit();
