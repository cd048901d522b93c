/** `npm run sweep`: runs the scheduled function once by hand, on the local game. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { Context, ScheduledEvent } from "aws-lambda";
import { handler } from "../functions/zombie/sweep.ts";
import { openLocal } from "./local/open.ts";
import { readSettings } from "./local/settings.ts";
import { runCommand } from "./local/userError.ts";

const HELP = `Records the zombies that have starved, once, in the local game of the same PORT and GAME_FILE,
whether its service runs or not. A running service does so by itself each minute.

  npm run sweep
`;

const TIME_MS = 55_000;

const event = (region: string): ScheduledEvent => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date().toISOString(),
  region,
  resources: [],
  detail: {},
});

const context = (): Context => {
  const until = Date.now() + TIME_MS;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName: "sweep",
    functionVersion: "$LATEST",
    invokedFunctionArn: "",
    memoryLimitInMB: "512",
    logGroupName: "",
    logStreamName: "",
    getRemainingTimeInMillis: () => Math.max(0, until - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  const { settings, close } = await openLocal(readSettings(), { withQueue: true });
  // The result is told below; of the log only faults are wanted.
  Object.assign(process.env, settings, { LOG_LEVEL: "ERROR", POWERTOOLS_METRICS_DISABLED: "true" });
  try {
    const { starved, warned, complete } = await handler(event(settings.AWS_REGION ?? ""), context());
    const more = complete ? "" : " There are more: run it again.";
    const warnings = warned === 0 ? "" : ` Zombies warned: ${warned}.`;
    console.log(`Starvations recorded: ${starved}.${warnings}${more}`);
    return 0;
  } finally {
    await close();
  }
};

await runCommand(main);
