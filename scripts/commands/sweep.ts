/** `npm run sweep`: runs the scheduled function once on the local game, and releases held sweeps. */
import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";
import { handler } from "../../functions/zombie/sweep.ts";
import { readSweepClock } from "../../lib/app/workers/sweepClock.ts";
import {
  describeHold,
  describeHoldOptions,
  type HeldClock,
  isHeld,
} from "../../lib/domain/starvation/sweepClock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { services } from "../../lib/lambda/services.ts";
import { openStore } from "../../lib/store/store.ts";
import { openTarget, TARGET_HELP, TARGET_OPTIONS } from "../archive/target.ts";
import { runCommand } from "../cli/command.ts";
import { UserError } from "../cli/userError.ts";
import { lambdaContext } from "../local/inProcess.ts";
import { openLocal } from "../local/openLocal.ts";
import { readSettings } from "../local/settings.ts";
import { type Decision, decideGap } from "../sweep/gap.ts";

const HELP = `Runs one sweep of the local game of PORT and GAME_FILE, from the environment or .env: it records the zombies that have
starved. Its service may be running; a running service sweeps every minute.

  npm run sweep [-- --accept-gap | --pause-gap] [--stage STAGE | --table NAME [--region REGION]]

If no sweep ran for more than an hour and zombies would have starved, sweeps are held: the clock may have jumped, or
this machine was off and nobody could report a tag. If the clock is wrong, set it; sweeps then continue. If it is
right, decide:

  --accept-gap     the zombies that were due in the gap starve
  --pause-gap      the gap counts as a pause: deadlines move by the gap, and players are notified of a pause
${TARGET_HELP}

While sweeps are held, everything else works. Adding a day or pausing the game does not release them, and does not
help zombies that are already due. A deployment sweeps by itself every minute, so --stage and --table need one of the
two decisions.
`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  "accept-gap": { type: "boolean", default: false },
  "pause-gap": { type: "boolean", default: false },
} as const;

/** The time limit of a sweep. */
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

/** @throws UserError if both options are given */
const decisionOf = (accepts: boolean, pauses: boolean): Decision | null => {
  if (accepts && pauses) throw new UserError("Give only one of --accept-gap and --pause-gap.");
  if (accepts) return "accept";
  return pauses ? "pause" : null;
};

const decided = (decision: Decision, { at, held }: HeldClock): string => {
  const gap = `The time from ${rfc3339(at)} to ${rfc3339(held.until)}`;
  return decision === "accept"
    ? `${gap} is accepted: zombies that were due in it have starved.`
    : `${gap} counts as a pause: all deadlines are moved by it.`;
};

/** Decides about the gap of a deployment, whose own sweep then continues. */
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
        : `${decided(decision, hold)} Sweeps continue within a minute.`,
    );
    return 0;
  } finally {
    await target.close();
  }
};

/** Sweeps the local game, and again after a decision. @returns the exit code */
const sweepHere = async (decision: Decision | null): Promise<number> => {
  const { settings, close } = await openLocal(readSettings(), { withQueue: true });
  // The result is printed below; the functions log only errors.
  Object.assign(process.env, settings, { LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true" });
  const { store } = services();
  const sweep = () => {
    const until = Date.now() + TIME_MS;
    return handler(
      event(settings.AWS_REGION ?? ""),
      lambdaContext(() => Math.max(0, until - Date.now())),
    );
  };
  try {
    let swept = await sweep();
    if (decision !== null) {
      const hold = await decideGap(store, decision);
      console.log(
        hold === null ? "No sweep is held, so there is no gap to decide about." : decided(decision, hold),
      );
      if (hold !== null) swept = await sweep();
    }
    const known = await readSweepClock(store);
    if (isHeld(known)) {
      console.error(`${describeHold(known)} ${describeHoldOptions()}`);
      return 1;
    }
    const { starved, warned, complete } = swept;
    const more = complete ? "" : " There are more. Run it again.";
    const warnings = warned === 0 ? "" : ` Zombies warned: ${warned}.`;
    console.log(`Starvations recorded: ${starved}.${warnings}${more}`);
    return 0;
  } finally {
    await close();
  }
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const decision = decisionOf(values["accept-gap"], values["pause-gap"]);
  const { stage, table, region } = values;
  if (stage === undefined && table === undefined && region === undefined) return sweepHere(decision);
  if (decision === null)
    throw new UserError("A deployment sweeps by itself every minute. Give --accept-gap or --pause-gap.");
  return decideThere(decision, { stage, table, region });
});
