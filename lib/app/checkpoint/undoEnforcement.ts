/** Undoes the enforcement of a checkpoint, in a job. */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { rfc3339 } from "../../domain/time.ts";
import { isUndo, newEnforcementJob } from "../../jobs/enforcementJob.ts";
import type { JobCall } from "../../lambda/call.ts";
import { undoWrite } from "../../store/absence.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { runJobCommand } from "./callJob.ts";

export interface UndoRequest {
  checkpoint_id: string;
  reason: string;
}

interface UndoResult {
  restored: number;
  /** The number of players who have changed in another way since, and stay as they are. */
  changed: number;
  complete: boolean;
  job_id: string | null;
}

/** @throws DomainError `wrong_state` for the current checkpoint before its enforcement */
export const requireEnforced = ({ checkpoint }: Game, id: string): void => {
  if (checkpoint?.checkpoint_id !== id || checkpoint.enforced_at !== null) return;
  throw new DomainError("wrong_state", `The checkpoint ${checkpoint.name} has not been enforced.`);
};

/** Marks the enforcement of a checkpoint as undone, if it is still the current checkpoint. */
const withUndoneMark = (game: Game, id: string, now: number): Game =>
  game.checkpoint?.checkpoint_id === id
    ? { ...game, checkpoint: { ...game.checkpoint, undone_at: rfc3339(now) } }
    : game;

/**
 * Restores the players whom the enforcement of a checkpoint killed or turned, unless they have changed in another way
 * since. A repeated request continues an unfinished job.
 * @throws DomainError `wrong_state`, `busy`, `in_progress`, `key_reused`
 */
export const undoCheckpoint = (
  call: JobCall<UndoResult>,
  { checkpoint_id, reason }: UndoRequest,
): Promise<CommandResponse> => {
  const { audit, now, player } = call;
  audit.details = { checkpoint_id, reason };
  return runJobCommand({
    call,
    newJob: (before, jobId) => {
      requireEnforced(before, checkpoint_id);
      const undo = { checkpoint_id, actor: player.player_id, reason, began_at: rfc3339(now) };
      return {
        job: { ...newEnforcementJob(jobId, now), ...undo, outcome: "corpse" },
        after: withUndoneMark(before, checkpoint_id, now),
        writes: [undoWrite(undo)],
      };
    },
    isSame: (job) => isUndo(job) && job.checkpoint_id === checkpoint_id,
    resultOf: ({ killed, spared, complete }, { job_id }) => ({
      restored: killed,
      changed: spared,
      complete,
      job_id,
    }),
  });
};
