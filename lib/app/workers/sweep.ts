/** The sweep: records the starvations that the game clock has already decided. */
import { dropCuts, type Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { HOUR, instantOf, rfc3339, SECOND } from "../../domain/time.ts";
import { starve, starveCandidate } from "../../domain/transitions.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { runBulk } from "../../jobs/bulk.ts";
import { endContinuation, startContinuation } from "../../jobs/continuation.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { Store } from "../../store/store.ts";
import {
  clearEnforcement,
  type EnforcementJob,
  type EnforcementResult,
  enforcementBusy,
  readEnforcementJob,
  runEnforcement,
} from "../checkpoint/enforcementJob.ts";
import { sendStarvationWarnings } from "../notifications/starvationWarnings.ts";
import { checkSweepClock, readSweepClock } from "./sweepClock.ts";

/** Cuts of the clock younger than this are kept: a command that began before may still depend on them. */
const CUT_KEPT = HOUR;

/** So many are taken up in one run; the next run takes the next. */
const MOST_PER_RUN = 20_000;

const dropOldCuts = async (
  store: Store,
  before: Game,
  now: number,
  timeLeft: () => number,
): Promise<void> => {
  const after = dropCuts(before, now - CUT_KEPT);
  if (after.cuts.length === before.cuts.length) return;
  try {
    await store.commit(await writesOf({ game: { before, after } }, store.shards()), timeLeft);
  } catch (error) {
    // Somebody has changed the clock meanwhile; the next sweep will do.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/**
 * Takes up the enforcing of a checkpoint that its caller could not end, or that was cut off.
 * @returns whether nothing of it is left, or somebody else is at it
 */
const resumeEnforcing = async (
  { services, requestId, timeLeft }: WorkerContext,
  { enforcing: jobId }: Game,
  moment: CommandContext,
): Promise<boolean> => {
  const { store } = services;
  if (jobId === null) return true;
  if ((await readEnforcementJob(store, jobId)) === null) {
    await clearEnforcement(store, jobId, timeLeft);
    return true;
  }
  const log = ({ actor, checkpoint_id }: EnforcementJob, result: EnforcementResult) => ({
    log_id: moment.newId(),
    at: rfc3339(moment.now),
    action: "kill_all_not_at_checkpoint",
    actor,
    target: null,
    request_id: requestId,
    outcome: "done",
    details: { job_id: jobId, checkpoint_id, ...result },
  });
  const atEnd = (result: EnforcementResult, job: EnforcementJob) => ({ log: log(job, result) });
  try {
    return (
      await runEnforcement(
        { services, moment, timeLeft, heldError: enforcementBusy, onComplete: atEnd },
        jobId,
        false,
      )
    ).complete;
  } catch (error) {
    // Somebody is at it, or the database is busy: the next minute will do.
    if (!(error instanceof DomainError)) throw error;
    return true;
  }
};

/** What a sweep came to. */
type Swept = {
  starved: number;
  warned: number;
  complete: boolean;
  /** Whether it was held: then it recorded no starvation and gave no warning. */
  held?: true;
};

/** Gives warnings, and records every starvation that is due. @returns whether none of these is left */
const recordStarvations = async (
  run: WorkerContext,
  game: Game,
  moment: CommandContext,
): Promise<{ starved: number; warned: number; complete: boolean }> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const { now } = moment;
  // First, so that a long run of deaths leaves time for it.
  const warned = await sendStarvationWarnings(run, game, now).catch((error: unknown) => {
    // The next minute warns of what this one could not.
    log.error("warnings not given", { request_id: requestId, error });
    return 0;
  });
  const due = await mapBusyToUnavailable(store.dueEntries(game, now, MOST_PER_RUN));
  let lag = 0;
  const { done, complete } = await runBulk(
    {
      store,
      decide: (player, current) => {
        const outcome = starve(player, current, moment);
        return outcome === null ? null : { outcome };
      },
      decideCandidate: (zombie, current) => {
        const outcome = starveCandidate(zombie, current, moment);
        return outcome === null ? null : { outcome };
      },
      alongside: (judged) =>
        judged.length === 0
          ? {}
          : {
              log: {
                log_id: moment.newId(),
                at: rfc3339(now),
                action: "sweep",
                actor: null,
                target: null,
                request_id: requestId,
                outcome: "done",
                details: { starved: judged.length },
              },
            },
      timeLeft,
      onDone: (judged) => {
        const deaths = judged.flatMap(({ outcome }) => outcome.interactions);
        lag = Math.max(lag, ...deaths.map(({ at }) => clock() - instantOf(at)));
      },
    },
    due,
  );
  await recordMetrics({ SweepLag: lag / SECOND });
  return { starved: done, warned, complete: complete && due.length < MOST_PER_RUN };
};

/**
 * Records every starvation that is due, each once however many sweeps run, and takes up a checkpoint that is being
 * enforced. What time does not allow is put on the queue, and goes on at once. Starvations are not recorded where the
 * clock may have jumped (lib/domain/sweepClock.ts), nor while a game is imported.
 * @param baton what this run came with from there; none for one that came otherwise
 */
export const sweep = async (
  run: WorkerContext,
  { baton = null }: { baton?: string | null | undefined } = {},
): Promise<Swept> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const now = clock();
  const moment = commandContext(services, now);
  // Asked for at once, these are one call.
  const [game, known] = await Promise.all([mapBusyToUnavailable(store.game()), readSweepClock(store)]);
  if (known?.importing === true) return { starved: 0, warned: 0, complete: true };
  const countDue = async () => (await mapBusyToUnavailable(store.dueEntries(game, now, MOST_PER_RUN))).length;
  const isHeld = await checkSweepClock(run, known, now, countDue);
  const { complete: areDead, ...done } = isHeld
    ? { starved: 0, warned: 0, complete: true, held: true as const }
    : await recordStarvations(run, game, moment);
  const complete = areDead && (await resumeEnforcing(run, game, moment));
  if (areDead && !isHeld) {
    // The end of an enforcing is written to the game.
    const current = game.enforcing === null ? game : await mapBusyToUnavailable(store.game());
    await dropOldCuts(store, current, now, timeLeft);
  }
  if (!complete) await startContinuation(services, requestId, baton);
  else if (baton !== null) await endContinuation(services, baton, timeLeft);
  return { ...done, complete };
};
