/**
 * Enforcing a checkpoint: a job that goes over the roster again and again until it finds nobody left to kill,
 * because an index lags and players change their names. Whoever finds it abandoned takes it up: the game master who
 * calls again, or the minute's sweep.
 */
import * as z from "zod/mini";
import { enforceCheckpoint } from "../../domain/checkpoint.ts";
import type { Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/player.ts";
import { SECOND } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { type Decide, MAX_PLAYERS_PER_BATCH, RESERVE_MS, runBatch } from "../../jobs/bulk.ts";
import { acquireLease, type Lease, LeasedJob } from "../../jobs/lease.ts";
import type { Services } from "../../lambda/services.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { idOf, type LogEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

export const EnforcementJob = z.extend(LeasedJob, {
  checkpoint_id: z.string(),
  applies_to: z.enum(["all", "humans", "zombies"]),
  began_at: z.string(),
  actor: z.string(),
  killed: z.int(),
  /** Known when it is done. */
  spared: z.int(),
  /** Where the present pass stands: after which place on the roster it goes on, and whom it has met up to there. */
  after: z._default(z.nullable(z.string()), null),
  pass_killed: z._default(z.int(), 0),
  pass_spared: z._default(z.int(), 0),
  /** So many passes in a row have found nobody. */
  clean: z._default(z.int(), 0),
});
export type EnforcementJob = z.infer<typeof EnforcementJob>;

/** The lease is renewed at least this often, also while nobody is found to kill. */
const RENEW_EVERY = 10 * SECOND;

interface RosterBatch {
  ids: string[];
  /** The place of the last of them. */
  last: string;
}

/** Player ids of the roster after a place, a batch at a time; `isWanted` judges by the index alone. */
export async function* rosterBatches(
  store: Store,
  after?: string,
  isWanted: (item: StoredItem) => boolean = () => true,
): AsyncGenerator<RosterBatch> {
  let batch: RosterBatch = { ids: [], last: "" };
  for await (const { item, position } of store.rosterEntries(500, after)) {
    if (!isWanted(item)) continue;
    batch.ids.push(idOf(item));
    batch.last = position;
    if (batch.ids.length < MAX_PLAYERS_PER_BATCH) continue;
    yield batch;
    batch = { ids: [], last: "" };
  }
  if (batch.ids.length > 0) yield batch;
}

/** What enforcing came to: `complete` when everybody was looked at. */
export interface EnforcementResult {
  killed: number;
  spared: number;
  complete: boolean;
}

/** Who enforces: a game master's call, or the sweep. */
export interface EnforcementRun {
  services: Services;
  moment: CommandContext;
  timeLeft: () => number;
  /** What is said while somebody else is at it. */
  heldError: () => DomainError;
  /** What is written with the end of it. */
  onComplete: (
    result: EnforcementResult,
    job: EnforcementJob,
  ) => { log?: LogEntry | undefined; writes?: Write[] };
}

/** Whether an entry of the index tells of somebody who can die. */
const isAlive = ({ state }: StoredItem): boolean => state === "human" || state === "zombie";

/**
 * Whom a pass reads: the first one everybody. The others find whom that one missed, and need not read the dead again,
 * most of whom it has killed itself: who is revived while it goes on may live.
 */
const wantedIn = ({ clean, killed, pass_killed }: EnforcementJob) =>
  clean === 0 && killed === pass_killed ? undefined : isAlive;

/** The rest of a pass over the roster, from where the job stands. @returns whether time sufficed */
const pass = async (
  { services, moment, timeLeft }: EnforcementRun,
  held: Lease<EnforcementJob>,
): Promise<boolean> => {
  const { store, clock } = services;
  let renewed = clock();
  let spared = held.job.pass_spared;
  let last = held.job.after;
  const standing = () => ({ after: last, pass_spared: spared });
  for await (const batch of rosterBatches(store, held.job.after ?? undefined, wantedIn(held.job))) {
    if (timeLeft() < RESERVE_MS) {
      await held.save({ ...standing(), lease_until: 0 });
      return false;
    }
    const safe = new Set<string>();
    const judge: Decide = (player: Player, game: Game) => {
      safe.delete(player.player_id);
      const verdict = enforceCheckpoint(player, game, held.job, moment);
      if (verdict === "spared") safe.add(player.player_id);
      return typeof verdict === "string" ? null : { outcome: verdict };
    };
    // With the deaths goes where the pass stands: whoever takes it up goes on from here.
    const progress = (dead: number) => ({
      killed: held.job.killed + dead,
      pass_killed: held.job.pass_killed + dead,
      pass_spared: spared + safe.size,
      after: batch.last,
    });
    const dead = await runBatch({
      store,
      ids: batch.ids,
      decide: judge,
      timeLeft,
      onConflict: held.requireHeld,
      alongside: (judged) =>
        judged.length === 0 ? {} : { writes: [held.progressWrite(progress(judged.length))] },
    });
    if (dead.length > 0) {
      held.progressCommitted(progress(dead.length));
      renewed = clock();
    }
    spared += safe.size;
    last = batch.last;
    if (dead.length === 0 && clock() - renewed > RENEW_EVERY) {
      await held.save(standing());
      renewed = clock();
    }
  }
  await held.save(standing());
  return true;
};

export const enforcementBusy = (): DomainError =>
  new DomainError("busy", "Those who missed the checkpoint are being killed already.", { retryAfter: 5 });

/** The checkpoint free to be changed again. */
const endEnforcing = async (store: Store, jobId: string): Promise<Write[]> => {
  const before = await mapBusyToUnavailable(store.game());
  if (before.enforcing !== jobId) return [];
  return writesOf({ game: { before, after: { ...before, enforcing: null } } }, store.shards());
};

/** The job as it stands; none when it has been forgotten. */
export const readEnforcementJob = async (store: Store, jobId: string): Promise<EnforcementJob | null> => {
  const item = await mapBusyToUnavailable(store.db.get(keys.job(jobId)));
  return item === undefined ? null : EnforcementJob.parse(item);
};

/** So many passes in a row must find nobody: one who changes their name may slip past one of them. */
const CLEAN_PASSES = 2;

const passUntilClean = async (
  enforcing: EnforcementRun,
  held: Lease<EnforcementJob>,
): Promise<EnforcementResult> => {
  while (held.job.clean < CLEAN_PASSES) {
    const isDone = await pass(enforcing, held);
    const { killed, pass_killed, pass_spared: spared, clean } = held.job;
    if (!isDone) return { killed, spared, complete: false };
    const next = { clean: pass_killed === 0 ? clean + 1 : 0, spared };
    await held.save({ ...next, after: null, pass_killed: 0, pass_spared: 0 });
  }
  return { killed: held.job.killed, spared: held.job.spared, complete: true };
};

/**
 * Works a job to its end, or as far as time allows; then it can be taken up at once.
 * @param begun whether this caller has just begun it
 * @throws DomainError as `taken` says; `unavailable`
 */
export const runEnforcement = async (
  enforcing: EnforcementRun,
  jobId: string,
  begun: boolean,
): Promise<EnforcementResult> => {
  const { services, timeLeft, heldError: taken, onComplete: atEnd } = enforcing;
  const { store, clock } = services;
  const parse = (item: StoredItem) => EnforcementJob.parse(item);
  const held = await acquireLease({ store, parse, clock, timeLeft, heldError: taken }, jobId, begun);
  const result = await passUntilClean(enforcing, held).catch(async (error: unknown) => {
    // Whatever went wrong, the next who comes need not wait for the lease to run out.
    if (error instanceof DomainError) await held.release().catch(() => {});
    // A busy database is no end: what is done is written down, and the rest goes on.
    if (!(error instanceof DomainError && error.code === "unavailable")) throw error;
    return { killed: held.job.killed, spared: held.job.pass_spared, complete: false };
  });
  if (!result.complete) return result;
  for (;;) {
    const { log, writes = [] } = atEnd(result, held.job);
    const beside = await writesOf({ writes, ...(log === undefined ? {} : { log }) }, store.shards());
    const end = await endEnforcing(store, jobId);
    try {
      const step = held.progressWrite({ done: true, spared: result.spared });
      await store.commit([step, ...end, ...beside], timeLeft);
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // The clock was changed meanwhile, or somebody has taken the job up.
      await held.requireHeld();
    }
  }
};

/** Lets the checkpoint go when the job that enforces it is over, or has been forgotten by the table. */
export const clearEnforcement = async (
  store: Store,
  jobId: string,
  timeLeft: () => number,
): Promise<void> => {
  try {
    await store.commit(await endEnforcing(store, jobId), timeLeft);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
