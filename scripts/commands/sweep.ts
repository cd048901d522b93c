/** `npm run sweep`: runs the scheduled function once by hand, on the local game, and ends a hold of sweeps. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { Context, ScheduledEvent } from "aws-lambda";
import { handler } from "../../functions/zombie/sweep.ts";
import { readSweepClock } from "../../lib/app/workers/sweepClock.ts";
import { describeHold, describeHoldOptions, type HeldClock, isHeld } from "../../lib/domain/sweepClock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { services } from "../../lib/lambda/services.ts";
import { openStore } from "../../lib/store/store.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { openLocal } from "../local/openLocal.ts";
import { readSettings } from "../local/settings.ts";
import { type Decision, decideGap } from "../sweep/gap.ts";

const HELP = `Records the zombies that have starved, once, in the local game of the same PORT and GAME_FILE,
whether its service runs or not. A running service does so by itself each minute.

  npm run sweep [-- --accept-gap | --pause-gap] [--stage STAGE [--region REGION]]

When no sweep ran for more than an hour, and zombies would be recorded as starved, sweeps are held: the clock may have
jumped, or this machine was off and nobody could report a tag. If the clock is wrong, set it right: sweeps go on by
themselves. If it is right, decide:

  --accept-gap     these zombies starve
  --pause-gap      the gap counts as a pause: everybody has the time back, and the players are told of a pause
${TARGET_HELP}

While sweeps are held everything else works. Adding a day or pausing the game does not end the hold, and does not help
those who are due already. A deployment sweeps each minute, so that --stage only goes with a decision.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  "accept-gap": { type: "boolean", default: false },
  "pause-gap": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

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

/** @throws UserError for both decisions at once */
const decisionOf = (accepts: boolean, pauses: boolean): Decision | null => {
  if (accepts && pauses)
    throw new UserError("Give one of --accept-gap and --pause-gap: they are two decisions.");
  if (accepts) return "accept";
  return pauses ? "pause" : null;
};

const decided = (decision: Decision, { at, held }: HeldClock): string => {
  const gap = `The time from ${rfc3339(at)} to ${rfc3339(held.until)}`;
  return decision === "accept"
    ? `${gap} is accepted: whoever starved in it has starved.`
    : `${gap} counts as a pause: everybody has it back.`;
};

/** Decides about the gap of a deployment, whose own sweep then goes on. */
const decideThere = async (
  decision: Decision,
  options: { stage?: string | undefined; table?: string | undefined; region?: string | undefined },
): Promise<number> => {
  const target = await openTarget(options);
  try {
    const hold = await decideGap(openStore(target.db), decision);
    console.log(
      hold === null
        ? `No sweep of ${target.name} is held: nothing has been changed.`
        : `${decided(decision, hold)} The sweep goes on within a minute.`,
    );
    return 0;
  } finally {
    await target.close();
  }
};

/** Sweeps the local game, and once more after a decision. @returns the exit code */
const sweepHere = async (decision: Decision | null): Promise<number> => {
  const { settings, close } = await openLocal(readSettings(), { withQueue: true });
  // What the functions find out is told below; of their log only faults are wanted.
  Object.assign(process.env, settings, { LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true" });
  const { store } = services();
  const sweep = () => handler(event(settings.AWS_REGION ?? ""), context());
  try {
    let swept = await sweep();
    if (decision !== null) {
      const hold = await decideGap(store, decision);
      console.log(
        hold === null ? "No sweep is held: there is no gap to decide about." : decided(decision, hold),
      );
      if (hold !== null) swept = await sweep();
    }
    const known = await readSweepClock(store);
    if (isHeld(known)) {
      console.error(`${describeHold(known)} ${describeHoldOptions()}`);
      return 1;
    }
    const { starved, warned, complete } = swept;
    const more = complete ? "" : " There are more: run it again.";
    const warnings = warned === 0 ? "" : ` Zombies warned: ${warned}.`;
    console.log(`Starvations recorded: ${starved}.${warnings}${more}`);
    return 0;
  } finally {
    await close();
  }
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const decision = decisionOf(values["accept-gap"], values["pause-gap"]);
  const { stage, table, region } = values;
  if (stage === undefined && table === undefined && region === undefined) return sweepHere(decision);
  if (decision === null)
    throw new UserError("A deployment sweeps each minute: --stage goes with --accept-gap or --pause-gap.");
  return decideThere(decision, { stage, table, region });
};

await runCommand(main);
