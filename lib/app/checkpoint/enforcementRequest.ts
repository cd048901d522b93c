/** Requests to enforce the checkpoint. */
import * as z from "zod/mini";
import { type Enforcement, noCheckpoint, requireCurrent } from "../../domain/checkpoint/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/game/game.ts";
import type { State } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { DRY_RUN_FIELDS, pageOfDryRun } from "../../http/fields.ts";
import type { EnforcementResult } from "./runEnforcement.ts";

/** The checkpoint to enforce; for a dry run, also the page of players to return. */
export const EnforcementRequest = z
  .strictObject({
    ...DRY_RUN_FIELDS,
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
  })
  .check(pageOfDryRun);

export interface KillResponse extends EnforcementResult {
  job_id: string | null;
  players?: { alias: string; state: State; becomes?: State | undefined }[] | undefined;
  next_cursor?: string | null | undefined;
}

export type KillCall = Call<"administrator", z.infer<typeof EnforcementRequest>, unknown, KillResponse>;

/** The checkpoint to enforce. @throws DomainError `no_checkpoint`, `checkpoint_changed` */
export const requireCheckpoint = ({ checkpoint }: Game, expectedId: string | undefined): Checkpoint => {
  if (checkpoint === null) throw noCheckpoint();
  return requireCurrent(checkpoint, expectedId);
};

/**
 * The enforcement of a checkpoint. A repeated one does not apply to players who joined or were revived since the first.
 */
export const enforcementOf = (
  checkpoint: Checkpoint,
  game: Game,
  actor: string,
  now: number,
): Enforcement => ({
  checkpoint_id: checkpoint.checkpoint_id,
  applies_to: checkpoint.applies_to,
  outcome: game.settings.checkpoint_outcome,
  began_at: checkpoint.enforced_at ?? rfc3339(now),
  actor,
});
