/** One pass over the roster that kills the players who missed the checkpoint. */
import { enforceCheckpoint } from "../../domain/checkpoint.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { LIVING } from "../../domain/player.ts";
import { SECOND } from "../../domain/time.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { type BulkRule, RESERVE_MS, runBatch } from "../../jobs/bulk.ts";
import type { Lease } from "../../jobs/lease.ts";
import type { Services } from "../../lambda/services.ts";
import { type EnforcementJob, rosterBatches } from "./enforcementJob.ts";

/** The lease is renewed at least this often, also while there is nobody to kill. */
const RENEW_INTERVAL_MS = 10 * SECOND;

export interface PassContext {
  services: Services;
  context: CommandContext;
  timeLeft: () => number;
}

/** Whether a player can die, according to the index. */
const isAlive = ({ state }: StoredItem): boolean => LIVING.some((living) => living === state);

/**
 * Selects the players that a pass reads. The first pass reads all players. Later passes look for players that it
 * missed. They skip corpses, most of which are this job's own kills. So they can miss a player who is revived while the
 * job runs; that player need not be killed.
 */
const playerFilter = ({ clean, killed, pass_killed }: EnforcementJob) =>
  clean === 0 && killed === pass_killed ? undefined : isAlive;

/** Runs a pass from the job's roster position. @returns `false` when time ran out */
export const runPass = async (
  { services, context, timeLeft }: PassContext,
  lease: Lease<EnforcementJob>,
): Promise<boolean> => {
  const { store, clock } = services;
  let renewedAt = clock();
  let spared = lease.job.pass_spared;
  let last = lease.job.after;
  const position = () => ({ after: last, pass_spared: spared });
  for await (const batch of rosterBatches(store, lease.job.after ?? undefined, playerFilter(lease.job))) {
    if (timeLeft() < RESERVE_MS) {
      await lease.save({ ...position(), lease_until: 0 });
      return false;
    }
    const sparedInBatch = new Set<string>();
    const decide: BulkRule["decide"] = (player, game) => {
      sparedInBatch.delete(player.player_id);
      const result = enforceCheckpoint(player, game, lease.job, context);
      if (result === "spared") sparedInBatch.add(player.player_id);
      return typeof result === "string" ? null : { outcome: result };
    };
    // The position is written together with the deaths, so that a process that takes over continues from there.
    const progress = (deaths: number) => ({
      killed: lease.job.killed + deaths,
      pass_killed: lease.job.pass_killed + deaths,
      pass_spared: spared + sparedInBatch.size,
      after: batch.last,
    });
    const { length: deaths } = await runBatch({
      store,
      ids: batch.ids,
      rule: { decide },
      timeLeft,
      onConflict: lease.requireHeld,
      extraChanges: ({ length }) => (length === 0 ? {} : { writes: [lease.progressWrite(progress(length))] }),
    });
    if (deaths > 0) {
      lease.progressCommitted(progress(deaths));
      renewedAt = clock();
    }
    spared += sparedInBatch.size;
    last = batch.last;
    if (deaths === 0 && clock() - renewedAt > RENEW_INTERVAL_MS) {
      await lease.save(position());
      renewedAt = clock();
    }
  }
  await lease.save(position());
  return true;
};
