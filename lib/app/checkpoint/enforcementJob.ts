/** The job that kills the players who missed the checkpoint: its stored state, and the players it reads. */
import * as z from "zod/mini";
import type { Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import { CHECKPOINT_OUTCOMES } from "../../domain/settings.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { MAX_PLAYERS_PER_BATCH } from "../../jobs/bulk.ts";
import { LeasedJob, readJob } from "../../jobs/lease.ts";
import { idOf } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

export const EnforcementJob = z.extend(LeasedJob, {
  checkpoint_id: z.string(),
  applies_to: z.enum(["all", "humans", "zombies"]),
  outcome: z._default(z.enum(CHECKPOINT_OUTCOMES), "corpse"),
  began_at: z.string(),
  actor: z.string(),
  reason: z.optional(z.string()),
  killed: z.int(),
  /** Final only when the job is done. */
  spared: z.int(),
  /** The roster position after which the current pass continues, and the counts of the pass so far. */
  after: z._default(z.nullable(z.string()), null),
  pass_killed: z._default(z.int(), 0),
  pass_spared: z._default(z.int(), 0),
  /** The number of consecutive passes that killed nobody. */
  clean: z._default(z.int(), 0),
});
export type EnforcementJob = z.infer<typeof EnforcementJob>;

/** The job as stored; `null` when it has expired. */
export const readEnforcementJob = (store: Store, jobId: string): Promise<EnforcementJob | null> =>
  readJob(store, jobId, (item) => EnforcementJob.parse(item));

export const enforcementBusy = (): DomainError =>
  new DomainError("busy", "The checkpoint is already being enforced.", { retryAfter: 5 });

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
): AsyncGenerator<RosterBatch> {
  let batch: RosterBatch = { ids: [], last: "" };
  for await (const { item, position } of store.rosterEntries(game, 500, after)) {
    if (!isWanted(item)) continue;
    batch.ids.push(idOf(item));
    batch.last = position;
    if (batch.ids.length < MAX_PLAYERS_PER_BATCH) continue;
    yield batch;
    batch = { ids: [], last: "" };
  }
  if (batch.ids.length > 0) yield batch;
}
