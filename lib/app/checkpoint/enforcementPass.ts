/** One pass over the roster that enforces a checkpoint on each player, or undoes its enforcement. */
import { enforceCheckpoint } from "../../domain/checkpoint/checkpoint.ts";
import { undoEnforcement } from "../../domain/checkpoint/undoCheckpoint.ts";
import type { Game } from "../../domain/game/game.ts";
import { enforceMissions } from "../../domain/missions/required.ts";
import type { CommandContext, Outcome } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import { LIVING } from "../../domain/players/states.ts";
import { SECOND } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import {
  BATCHES_RESERVE_MS,
  type BulkDecision,
  type BulkRule,
  MAX_PLAYERS_PER_BATCH,
  runBatch,
} from "../../jobs/bulk.ts";
import { type EnforcementJob, isUndo, MISSIONS, rosterBatches } from "../../jobs/enforcementJob.ts";
import type { Lease } from "../../jobs/lease.ts";
import type { Services } from "../../lambda/services.ts";
import { markUndone } from "../../store/hunts/voids.ts";
import { attendedCounts } from "../../store/missions/attendance.ts";

/** The lease is renewed at least this often, even if no player is changed. */
const RENEW_INTERVAL_MS = 10 * SECOND;

/** Restoring a player can take four of the 100 writes of a transaction: player, void, mark, an overdue starvation. */
const UNDONE_PER_BATCH = 24;

export interface PassContext {
  services: Services;
  /** As read before the job was started or taken over. */
  game: Game;
  context: CommandContext;
  timeLeft: () => number;
}

const undoneMarks = ({ outcome: { players, interactions } }: BulkDecision): Write[] =>
  interactions.flatMap((voided) => {
    const before = players[0]?.before?.before_checkpoint;
    return voided.kind === "void" && before !== undefined ? [markUndone(before, voided)] : [];
  });

/** Whether a player can die, according to the index. */
const isAlive = ({ state }: StoredItem): boolean => LIVING.some((living) => living === state);

/**
 * Selects the players that a pass reads. The first pass reads all players. Later passes look for players that it
 * missed, and skip those who are corpses in the index: this job has killed most of them, and one who is revived during
 * the job need not be killed. An undo reads all players, because it counts those who have changed.
 */
const playerFilter = (job: EnforcementJob) =>
  isUndo(job) || (job.clean === 0 && job.killed === job.pass_killed) ? undefined : isAlive;

/** The rule of a job for one player. @param attended how many of the missions that count each player attended */
const decideFor = (
  { applies_to, missions, ...job }: EnforcementJob,
  player: Player,
  game: Game,
  context: CommandContext,
  attended: ReadonlyMap<string, number>,
): Outcome | "spared" | "exempt" => {
  if (applies_to === undefined) return undoEnforcement(player, game, job, context);
  if (applies_to !== MISSIONS) return enforceCheckpoint(player, game, { ...job, applies_to }, context);
  if (missions === undefined) throw new Error("a job that enforces missions does not name them");
  return enforceMissions(player, game, { ...job, ...missions }, attended, context);
};

/** Runs a pass from the job's roster position. @returns `false` when time ran out */
export const runPass = async (
  { services, game, context, timeLeft }: PassContext,
  lease: Lease<EnforcementJob>,
): Promise<boolean> => {
  const { store, clock } = services;
  let renewedAt = clock();
  let spared = lease.job.pass_spared;
  let last = lease.job.after;
  const position = () => ({ after: last, pass_spared: spared });
  const { after } = lease.job;
  const attended = await attendedCounts(store.db, lease.job.missions?.ids ?? []);
  const size = isUndo(lease.job) ? UNDONE_PER_BATCH : MAX_PLAYERS_PER_BATCH;
  const batches = rosterBatches(store, game, after ?? undefined, playerFilter(lease.job), size);
  for await (const batch of batches) {
    if (timeLeft() < BATCHES_RESERVE_MS) {
      await lease.save({ ...position(), lease_until: 0 });
      return false;
    }
    const sparedInBatch = new Set<string>();
    const decide: BulkRule["decide"] = (player, game) => {
      sparedInBatch.delete(player.player_id);
      const result = decideFor(lease.job, player, game, context, attended);
      if (result === "spared") sparedInBatch.add(player.player_id);
      return typeof result === "string" ? null : { outcome: result };
    };
    // The position is written together with the changes, so that a process that takes over continues from there.
    const progress = (changed: number) => ({
      killed: lease.job.killed + changed,
      pass_killed: lease.job.pass_killed + changed,
      pass_spared: spared + sparedInBatch.size,
      after: batch.last,
    });
    const { length: changed } = await runBatch({
      store,
      ids: batch.ids,
      rule: { decide },
      timeLeft,
      onConflict: lease.requireHeld,
      extraChanges: (decisions) =>
        decisions.length === 0
          ? {}
          : { writes: [lease.progressWrite(progress(decisions.length)), ...decisions.flatMap(undoneMarks)] },
    });
    if (changed > 0) {
      lease.progressCommitted(progress(changed));
      renewedAt = clock();
    }
    spared += sparedInBatch.size;
    last = batch.last;
    if (changed === 0 && clock() - renewedAt > RENEW_INTERVAL_MS) {
      await lease.save(position());
      renewedAt = clock();
    }
  }
  await lease.save(position());
  return true;
};
