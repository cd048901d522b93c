/**
 * The worker of the queue as a process of its own, which a test can kill. Each line of input has the bodies of messages and
 * the time of the service's clock. Lines of output: messages for the queue, and which of its input have failed.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { handler } from "../../functions/notifications/deliver.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { openStore } from "../../lib/store/store.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { beforeCalls } from "./beforeCalls.ts";
import { sqsEvent } from "./sqsEvent.ts";

const settings = parseEnv(process.env);
/** Before which of its transactions the process kills itself; 0 for none. */
const killAt = Number(process.env.KILL_AT ?? 0);
let [transactions, ahead] = [0, 0];

const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const database = openDatabase({ table: settings.TABLE_NAME, endpoint: settings.DYNAMODB_ENDPOINT });
const services = makeServices(settings, {
  store: openStore(
    beforeCalls(database, () => (call) => {
      if (call === "transact") transactions += 1;
      if (transactions === killAt && killAt > 0) process.kill(process.pid, "SIGKILL");
    }),
  ),
  clock: () => Date.now() + ahead,
  queue: { send: async (queued) => say({ queued }) },
});

for await (const line of createInterface({ input: process.stdin })) {
  const { bodies, now } = JSON.parse(line);
  ahead = now - Date.now();
  const { batchItemFailures } = await handler.on(services)(
    sqsEvent(...bodies),
    lambdaContext(() => 60_000),
  );
  say({ failed: batchItemFailures });
}
