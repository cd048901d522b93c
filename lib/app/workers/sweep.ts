/**
 * The sweep of each minute: sends starvation warnings and scheduled notifications, records starvations, and resumes
 * unfinished bulk work.
 */
import { dropSnapshots, SNAPSHOT_RETENTION_MS } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import { starveCandidate } from "../../domain/hunts/candidates.ts";
import type { CommandContext, Outcome } from "../../domain/outcome.ts";
import { starve } from "../../domain/players/transitions.ts";
import { instantOf, SECOND } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { type BulkDecision, forHidden, type PlayerRule, runBulk } from "../../jobs/bulk.ts";
import { endContinuation, startContinuation } from "../../jobs/continuation.ts";
import { findUnfinishedReset, type ResetMark } from "../../jobs/resetJob.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { pastClockWrites } from "../../store/absence.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import type { Store } from "../../store/store.ts";
import { sendStarvationWarnings } from "../notifications/starvationWarnings.ts";
import { checkSweepClock, readSweepClock } from "./sweepClock.ts";

/** The maximum number of snapshots that one run drops: each is a write of one transaction. */
const MAX_DROPPED = 50;

/** The maximum number of starvations that one run records; the next run records the rest. */
const MAX_PER_RUN = 20_000;

const dropOldSnapshots = async (
  store: Store,
  before: Game,
  now: number,
  timeLeft: () => number,
): Promise<void> => {
  const old = before.cuts.filter(({ made_at }) => made_at <= now - SNAPSHOT_RETENTION_MS);
  const dropped = old.slice(0, MAX_DROPPED);
  const upTo = dropped.at(-1)?.made_at;
  if (upTo === undefined) return;
  const after = dropSnapshots(before, upTo);
  try {
    const writes = pastClockWrites(dropped);
    await store.commit(await writesOf({ game: { before, after }, writes }), timeLeft);
  } catch (error) {
    // The game item has changed; the next sweep drops them.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/** Resumes the enforcement of a checkpoint or of missions. @returns `false` if another run has to continue it */
const resumeEnforcing = async (run: WorkerContext, game: Game, context: CommandContext): Promise<boolean> => {
  const { enforcing } = game;
  if (enforcing === null) return true;
  // Imported on demand, as for a new season, so that the sweep starts with less code.
  const { resumeEnforcement } = await import("../checkpoint/resumeEnforcement.ts");
  return resumeEnforcement(run, { game, context, jobId: enforcing });
};

/** Continues a new season that a request has begun. @returns `false` if another run has to continue it */
const resumeSeason = async (run: WorkerContext, mark: ResetMark | null): Promise<boolean> => {
  if (mark === null) return true;
  const { resumeReset } = await import("../game/resetSeason.ts");
  return resumeReset(run, mark);
};

/** Records a starvation. While original zombies are hidden, this needs the player; otherwise, the index entry. */
const starvationRule = (context: CommandContext, game: Game): PlayerRule => {
  const decision = (outcome: Outcome | null): BulkDecision | null => outcome && { outcome };
  return forHidden(game, context.now, {
    decide: (player, game) => decision(starve(player, game, context)),
    decideCandidate: (zombie, game) => decision(starveCandidate(zombie, game, context)),
  });
};

/**
 * Sends warnings and scheduled notifications, and records the starvations that are due.
 * @returns `complete` if none is left
 */
const recordStarvations = async (
  run: WorkerContext,
  game: Game,
  context: CommandContext,
): Promise<{ starved: number; warned: number; complete: boolean }> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const { now } = context;
  // Warnings come first, so that recording many deaths cannot use up their time.
  const warned = await sendStarvationWarnings(run, game, now).catch((error: unknown) => {
    // The next sweep sends the warnings.
    log.error("warnings not sent", { request_id: requestId, error });
    return 0;
  });
  // Imported on demand, so that the sweep starts with less code.
  const { startScheduled } = await import("../notifications/startScheduled.ts");
  await startScheduled(run, now).catch((error: unknown) => {
    log.error("scheduled notifications not sent", { request_id: requestId, error });
  });
  // Also without a waiver or a minimum age: whoever waits may have signed before these were removed.
  const { releaseMinors } = await import("../waiver/releaseMinors.ts");
  await releaseMinors(run).catch((error: unknown) => {
    // The next sweep tries again.
    log.error("players of age not let play", { request_id: requestId, error });
  });
  const due = await mapBusyToUnavailable(store.dueEntries(game, now, MAX_PER_RUN));
  let lag = 0;
  const { done, complete } = await runBulk(
    {
      store,
      rule: starvationRule(context, game),
      extraChanges: ({ length: starved }) =>
        starved === 0
          ? {}
          : { log: newLogEntry(context, requestId, { action: "sweep", details: { starved } }) },
      timeLeft,
      onBatch: (decisions) => {
        const deaths = decisions.flatMap(({ outcome }) => outcome.interactions);
        lag = Math.max(lag, ...deaths.map(({ at }) => clock() - instantOf(at)));
      },
    },
    due,
  );
  await recordMetrics({ SweepLag: lag / SECOND });
  return { starved: done, warned, complete: complete && due.length < MAX_PER_RUN };
};

type SweepResult = {
  starved: number;
  warned: number;
  complete: boolean;
  /** Present if the sweep was held, so that it recorded no starvation and sent no warning. */
  held?: true;
};

/**
 * Records every starvation that is due, exactly once even if sweeps overlap, and resumes the enforcement of a
 * checkpoint and a new season. The queue continues unfinished work. A sweep records no starvation after a gap that a clock
 * jump may have caused (lib/domain/starvation/sweepClock.ts), and does nothing during an import.
 * @param message.fencingToken the fencing token of a run that comes from the queue
 */
export const sweep = async (
  run: WorkerContext,
  { fencingToken = null }: { fencingToken?: string | null | undefined } = {},
): Promise<SweepResult> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const now = clock();
  const context = commandContext(services, now);
  // Issued in the same tick, these reads are batched into one request.
  const [game, sweepClock, reset] = await Promise.all([
    mapBusyToUnavailable(store.game()),
    readSweepClock(store),
    mapBusyToUnavailable(findUnfinishedReset(store)),
  ]);
  if (sweepClock?.importing === true) return { starved: 0, warned: 0, complete: true };
  const countDue = async () => (await mapBusyToUnavailable(store.dueEntries(game, now, MAX_PER_RUN))).length;
  const isHeld = await checkSweepClock(run, sweepClock, now, countDue);
  const { complete: areStarvationsDone, ...result } = isHeld
    ? { starved: 0, warned: 0, complete: true, held: true as const }
    : await recordStarvations(run, game, context);
  const complete =
    areStarvationsDone && (await resumeEnforcing(run, game, context)) && (await resumeSeason(run, reset));
  // A new season drops all of them.
  if (areStarvationsDone && !isHeld && reset === null) {
    // Ending an enforcement has changed the game item.
    const current = game.enforcing === null ? game : await mapBusyToUnavailable(store.game());
    await dropOldSnapshots(store, current, now, timeLeft);
  }
  if (!complete) await startContinuation(services, requestId, fencingToken);
  else if (fencingToken !== null) await endContinuation(services, fencingToken, timeLeft);
  return { ...result, complete };
};
