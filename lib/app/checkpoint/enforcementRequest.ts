/** A request to enforce the checkpoint, and what it asks for. */
import * as z from "zod/mini";
import { type Enforcement, noCheckpoint, requireCurrent } from "../../domain/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/clock.ts";
import type { State } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Call } from "../../http/definition.ts";
import { DRY_RUN_FIELDS, pageOfDryRun } from "../../http/fields.ts";
import type { EnforcementResult } from "./runEnforcement.ts";

/** What to enforce; of a dry run also which page of the players to name. */
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

/** A checkpoint that was enforced before concerns nobody who has come to life since. */
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
