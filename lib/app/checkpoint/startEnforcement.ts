/** Enforces the checkpoint, in a job. */
import { type Enforcement, noCheckpoint, requireCurrent } from "../../domain/checkpoint/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/game/game.ts";
import { rfc3339 } from "../../domain/time.ts";
import { actionOfJob, newEnforcementJob } from "../../jobs/enforcementJob.ts";
import type { JobCall } from "../../lambda/call.ts";
import { enforcementWrites } from "../../store/absence.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { runJobCommand } from "./callJob.ts";
import type { EnforcementResult } from "./runEnforcement.ts";

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

/**
 * Kills every living player to whom the checkpoint applies and who has not passed it; with the `checkpoint_outcome`
 * `zombie`, humans become zombies instead. Players who joined or were revived after its first enforcement are exempt. A
 * repeated request continues an unfinished job.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = (
  call: JobCall<EnforcementResult & { job_id: string | null }>,
  checkpointId: string | undefined,
): Promise<CommandResponse> => {
  const { context, now, player } = call;
  const { reason } = context;
  return runJobCommand({
    call,
    newJob: (before, jobId) => {
      const checkpoint = requireCheckpoint(before, checkpointId);
      const enforcement = { ...enforcementOf(checkpoint, before, player.player_id, now), reason };
      const enforced = { ...checkpoint, enforced_at: enforcement.began_at, undone_at: null };
      return {
        job: { ...newEnforcementJob(jobId, now), ...enforcement },
        after: { ...before, checkpoint: enforced },
        writes: enforcementWrites({ ...enforcement, started_at: rfc3339(now), job_id: jobId }),
      };
    },
    isSame: (job) =>
      actionOfJob(job) === "kill_all_not_at_checkpoint" &&
      (checkpointId === undefined || checkpointId === job.checkpoint_id),
    resultOf: (result, { job_id }) => ({ ...result, job_id }),
  });
};
