/**
 * Killing all who missed the checkpoint: a job that fixes its checkpoint and its beginning, and goes over the
 * roster again and again until it finds nobody left to kill, because an index lags and players change their names.
 */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { type Enforcement, enforceCheckpoint, NO_CHECKPOINT } from "../domain/checkpoint.ts";
import type { Checkpoint, Game } from "../domain/clock.ts";
import type { Player } from "../domain/player.ts";
import { Refusal } from "../domain/refusal.ts";
import { rfc3339, SECOND } from "../domain/time.ts";
import { writesOf } from "../store/changes.ts";
import { Stale, type StoredItem } from "../store/database.ts";
import { type Answer, keepAnswer, reading, storedAnswer, UNAVAILABLE } from "../store/decide.ts";
import { idOf } from "../store/items.ts";
import { beginJob, type HeldJob, holdJob, LeasedJob, leasedJob } from "../store/jobs.ts";
import { keys } from "../store/keys.ts";
import { doBatch, IN_PROGRESS, type Judge, MOST_AT_ONCE, RESERVE } from "../store/many.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./endpoint.ts";

interface KillAnswer {
  killed: number;
  spared: number;
  complete: boolean;
  job_id: string | null;
}

type KillCall = Call<
  "administrator",
  { dry_run?: boolean | undefined; checkpoint_id?: string | undefined },
  unknown,
  KillAnswer
>;

const KillJob = z.extend(LeasedJob, {
  checkpoint_id: z.string(),
  applies_to: z.enum(["all", "humans", "zombies"]),
  began_at: z.string(),
  actor: z.string(),
  killed: z.int(),
  /** Known when it is done. */
  spared: z.int(),
});
type KillJob = z.infer<typeof KillJob>;

/** The lease is renewed at least this often, also while nobody is found to kill. */
const RENEW_EVERY = 10 * SECOND;

/** Player ids of the roster, a batch at a time. */
async function* rosterBatches(store: Store): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const { item } of store.rosterEntries(500)) {
    batch.push(idOf(item));
    if (batch.length < MOST_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** What would come of it, without doing it. */
const preview = async (call: KillCall, enforcement: Enforcement): Promise<Answer> => {
  const { game, moment, services } = call;
  let killed = 0;
  let spared = 0;
  for await (const ids of rosterBatches(services.store)) {
    if (call.timeLeft() < RESERVE) throw UNAVAILABLE();
    for (const player of (await reading(services.store.players(ids, { consistent: false }))).values()) {
      const verdict = enforceCheckpoint(player, game, enforcement, moment);
      if (verdict === "spared") spared += 1;
      else if (verdict !== "unconcerned") killed += 1;
    }
  }
  call.note.details = { dry_run: true, killed, spared };
  return call.answer({ killed, spared, complete: true, job_id: null });
};

/** One pass over the roster: how many it killed and spared; `complete` when time sufficed. */
const pass = async (call: KillCall, held: HeldJob<KillJob>) => {
  const { moment, services, timeLeft } = call;
  const { store, clock } = services;
  let renewed = clock();
  let killed = 0;
  let spared = 0;
  for await (const ids of rosterBatches(store)) {
    if (timeLeft() < RESERVE) return { killed, spared, complete: false };
    const safe = new Set<string>();
    const judge: Judge = (player: Player, game: Game) => {
      safe.delete(player.player_id);
      const verdict = enforceCheckpoint(player, game, held.job, moment);
      if (verdict === "spared") safe.add(player.player_id);
      return typeof verdict === "string" ? null : { outcome: verdict };
    };
    const progress = (dead: number) => ({ killed: held.job.killed + dead });
    const dead = await doBatch({
      store,
      ids,
      judge,
      timeLeft,
      onMoved: held.requireHold,
      beside: (judged) => (judged.length === 0 ? {} : { writes: [held.step(progress(judged.length))] }),
    });
    spared += safe.size;
    if (dead.length > 0) {
      held.stepped(progress(dead.length));
      killed += dead.length;
      renewed = clock();
    } else if (clock() - renewed > RENEW_EVERY) {
      await held.save({});
      renewed = clock();
    }
  }
  return { killed, spared, complete: true };
};

/** The checkpoint to be enforced. @throws Refusal `no_checkpoint`, `checkpoint_changed` */
const wantedCheckpoint = ({ checkpoint }: Game, wanted: string | undefined): Checkpoint => {
  if (checkpoint === null) throw NO_CHECKPOINT();
  if (wanted === undefined || wanted === checkpoint.checkpoint_id) return checkpoint;
  throw new Refusal(
    "checkpoint_changed",
    `The checkpoint is ${checkpoint.name} now, another than you named.`,
  );
};

const BUSY = (): Refusal =>
  new Refusal("busy", "Those who missed the checkpoint are being killed already.", { retryAfter: 5 });

/** The game after the job, the checkpoint free to be changed again. */
const endEnforcing = async (store: Store, jobId: string) => {
  const before = await reading(store.game());
  if (before.enforcing !== jobId) return [];
  return writesOf({ game: { before, after: { ...before, enforcing: null } } }, store.shards());
};

/** What a job came to that another call has worked to its end. */
const endedJob = async (store: Store, jobId: string): Promise<KillAnswer | null> => {
  const item = await reading(store.db.get(keys.job(jobId)));
  const job = item === undefined ? null : KillJob.parse(item);
  if (job?.done !== true) return null;
  return { killed: job.killed, spared: job.spared, complete: true, job_id: jobId };
};

/** Works the job to its end, or as far as time allows. */
const work = async (call: KillCall, jobId: string, begun: boolean): Promise<Answer> => {
  const { now, once, note, services, timeLeft } = call;
  const { store, clock } = services;
  const parse = (item: StoredItem) => KillJob.parse(item);
  const ended = begun ? null : await endedJob(store, jobId);
  if (ended !== null) return call.answer(ended);
  const taken = once === undefined ? BUSY : IN_PROGRESS;
  const held = await holdJob({ store, parse, clock, timeLeft, taken }, jobId, begun);
  let last = await pass(call, held);
  while (last.complete && last.killed > 0) last = await pass(call, held);
  const { killed } = held.job;
  const { spared, complete } = last;
  note.details = { job_id: jobId, checkpoint_id: held.job.checkpoint_id, killed, spared, complete };
  const answer = call.answer({ killed, spared, complete, job_id: jobId });
  if (!complete) {
    await held.release();
    return { ...answer, status: 202 };
  }
  for (;;) {
    const entry = call.log.entry("done");
    const rest = writesOf({ ...(entry === undefined ? {} : { log: entry }) }, store.shards());
    const kept = once === undefined ? [] : [{ put: keepAnswer(once, answer, now).put }];
    const end = await endEnforcing(store, jobId);
    try {
      await store.commit([held.step({ done: true, spared }), ...end, ...rest, ...kept], timeLeft);
      call.log.written();
      return answer;
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      // The clock was changed meanwhile, or somebody has taken the job up.
      await held.requireHold();
    }
  }
};

/** Begins a job, or takes up the one that is at work; resolves to it, and whether it was begun now. */
const begin = async (call: KillCall): Promise<{ jobId: string; begun: boolean }> => {
  const { body, now, once, player, services, timeLeft } = call;
  const { store } = services;
  for (;;) {
    const before = await reading(store.game());
    const { enforcing } = before;
    const checkpoint = wantedCheckpoint(before, body.checkpoint_id);
    const jobId = enforcing ?? v7();
    const promise = once === undefined ? [] : [keepAnswer(once, { status: 200, body: null }, now, jobId)];
    const job: KillJob = {
      ...leasedJob(jobId, now),
      checkpoint_id: checkpoint.checkpoint_id,
      applies_to: checkpoint.applies_to,
      began_at: rfc3339(now),
      actor: player.player_id,
      killed: 0,
      spared: 0,
    };
    const game = { before, after: { ...before, enforcing: jobId } };
    const writes = enforcing === null ? writesOf({ game, writes: [beginJob(job), ...promise] }, 1) : promise;
    try {
      await store.commit(writes, timeLeft);
      return { jobId, begun: enforcing === null };
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      const earlier = once === undefined ? undefined : await storedAnswer(store.db, once, now);
      if (earlier?.job !== undefined) return { jobId: earlier.job, begun: false };
      if (timeLeft() < RESERVE) throw UNAVAILABLE();
    }
  }
};

/**
 * Kills every living player whom the checkpoint concerns, who had joined when this began and has not passed.
 * Called again, it takes up what was left of an earlier call.
 * @throws Refusal `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const killAll = async (call: KillCall): Promise<Answer> => {
  const { body, game, now, once, player, services } = call;
  const earlier = once === undefined ? undefined : await storedAnswer(services.store.db, once, now);
  if (earlier?.job !== undefined) return work(call, earlier.job, false);
  if (earlier !== undefined) return { status: earlier.status, body: earlier.body };
  if (body.dry_run !== true) {
    const { jobId, begun } = await begin(call);
    return work(call, jobId, begun);
  }
  const checkpoint = wantedCheckpoint(game, body.checkpoint_id);
  return preview(call, { ...checkpoint, began_at: rfc3339(now), actor: player.player_id });
};
