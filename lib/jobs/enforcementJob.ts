/** The stored state of a job that enforces a checkpoint or undoes an enforcement, and the players it reads. */
import * as z from "zod/mini";
import type { Action } from "../domain/actions.ts";
import { DomainError } from "../domain/domainError.ts";
import { CheckpointGroup, type Game } from "../domain/game/game.ts";
import { CHECKPOINT_OUTCOMES } from "../domain/game/settings.ts";
import type { StoredItem } from "../dynamodb/database.ts";
import { idOf } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import { MAX_PLAYERS_PER_BATCH } from "./bulk.ts";
import { LeasedJob, newLeasedJob, readJob } from "./lease.ts";

/** Stored in place of a group, so that earlier versions cannot parse a job that enforces missions. */
export const MISSIONS = "missions";

export const EnforcementJob = z.extend(LeasedJob, {
  checkpoint_id: z.string(),
  /**
   * Absent from a job that undoes an enforcement, so that earlier versions cannot parse it. They would enforce instead.
   */
  applies_to: z.optional(z.union([CheckpointGroup, z.literal(MISSIONS)])),
  /** Of required missions: which count, how many of them are needed, and the player ids of who is exempt. */
  missions: z.optional(z.object({ ids: z.array(z.string()), needed: z.int(), exempt: z.array(z.string()) })),
  outcome: z._default(z.enum(CHECKPOINT_OUTCOMES), "corpse"),
  began_at: z.string(),
  actor: z.string(),
  reason: z.optional(z.string()),
  /** The number of players who were killed or became zombies; in an undo, who were restored. */
  killed: z.int(),
  /** The number of players who had passed the checkpoint; in an undo, who have changed since. Final at the end. */
  spared: z.int(),
  /** The roster position after which the current pass continues, and the counts of the pass so far. */
  after: z._default(z.nullable(z.string()), null),
  pass_killed: z._default(z.int(), 0),
  pass_spared: z._default(z.int(), 0),
  /** The number of consecutive passes that changed nobody. */
  clean: z._default(z.int(), 0),
});
export type EnforcementJob = z.infer<typeof EnforcementJob>;

/** The job as stored; `null` when it has expired. */
export const readEnforcementJob = (store: Store, jobId: string): Promise<EnforcementJob | null> =>
  readJob(store, jobId, (item) => EnforcementJob.parse(item));

/** Whether a job undoes an enforcement. */
export const isUndo = ({ applies_to }: EnforcementJob): boolean => applies_to === undefined;

/** The action of a job in the audit log. */
export const actionOfJob = (job: EnforcementJob): Action => {
  if (isUndo(job)) return "undo_checkpoint";
  return job.applies_to === MISSIONS ? "enforce_missions" : "kill_all_not_at_checkpoint";
};

/** The common fields of a new job, which enforces a checkpoint or undoes an enforcement. */
export const newEnforcementJob = (jobId: string, now: number) => ({
  ...newLeasedJob(jobId, now),
  killed: 0,
  spared: 0,
  after: null,
  pass_killed: 0,
  pass_spared: 0,
  clean: 0,
});

export const enforcementBusy = (): DomainError =>
  new DomainError("busy", "The checkpoint is being enforced, or its enforcement is being undone.", {
    retryAfter: 5,
  });

interface RosterBatch {
  ids: string[];
  /** The roster position of the last player. */
  last: string;
}

/**
 * Reads the player ids of the roster in batches.
 * @param after the roster position after which to start
 * @param isWanted filters by the index entry alone
 */
export async function* rosterBatches(
  store: Store,
  game: Game,
  after?: string,
  isWanted: (item: StoredItem) => boolean = () => true,
  size = MAX_PLAYERS_PER_BATCH,
): AsyncGenerator<RosterBatch> {
  let batch: RosterBatch = { ids: [], last: "" };
  for await (const { item, position } of store.rosterEntries(game, 500, after)) {
    if (!isWanted(item)) continue;
    batch.ids.push(idOf(item));
    batch.last = position;
    if (batch.ids.length < size) continue;
    yield batch;
    batch = { ids: [], last: "" };
  }
  if (batch.ids.length > 0) yield batch;
}
