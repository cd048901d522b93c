/** Enforces the checkpoint, in a job; a dry run only counts the players and lists them. */
import { enforceCheckpoint } from "../../domain/checkpoint/checkpoint.ts";
import { rfc3339 } from "../../domain/time.ts";
import { enforcementWrites } from "../../store/absence.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { runJobCommand } from "./callJob.ts";
import { isUndo, newEnforcementJob } from "./enforcementJob.ts";
import { enforcementOf, type KillCall, requireCheckpoint } from "./enforcementRequest.ts";

const enforce = (call: KillCall): Promise<CommandResponse> => {
  const { body, context, now, player } = call;
  const { reason } = context;
  return runJobCommand({
    call,
    newJob: (before, jobId) => {
      const checkpoint = requireCheckpoint(before, body.checkpoint_id);
      const enforcement = { ...enforcementOf(checkpoint, before, player.player_id, now), reason };
      const enforced = { ...checkpoint, enforced_at: enforcement.began_at, undone_at: null };
      return {
        job: { ...newEnforcementJob(jobId, now), ...enforcement },
        after: { ...before, checkpoint: enforced },
        writes: enforcementWrites({ ...enforcement, started_at: rfc3339(now), job_id: jobId }),
      };
    },
    isSame: (job) => !isUndo(job),
    respond: (result, jobId) => call.respond({ ...result, job_id: jobId }),
  });
};

/** Changes nothing. The response is stored for retries, like that of any command. */
const dryRun = async (call: KillCall): Promise<CommandResponse> => {
  // Imported on demand, so that an enforcement starts with less code.
  const { preview } = await import("./preview.ts");
  const { audit, body, context, game, now, player } = call;
  return call.decide(async () => {
    const checkpoint = requireCheckpoint(game, body.checkpoint_id);
    const enforcement = enforcementOf(checkpoint, game, player.player_id, now);
    const decide = (one: typeof player) => enforceCheckpoint(one, game, enforcement, context);
    const place = { list: "checkpoint", filters: { checkpoint_id: checkpoint.checkpoint_id } };
    const found = await mapBusyToUnavailable(preview(call, place, decide, false));
    const { killed, spared, next_cursor, aliases } = found;
    const players = found.players.map(({ alias, state, becomes }) => ({ alias, state, becomes }));
    audit.details = { dry_run: true, killed, spared };
    const response = { killed, spared, complete: true, job_id: null, players, next_cursor };
    return { changes: {}, result: response, aliases };
  });
};

/**
 * Kills every living player to whom the checkpoint applies and who has not passed it; with the `checkpoint_outcome`
 * `zombie`, humans become zombies instead. Players who joined or were revived after its first enforcement are exempt. A
 * repeated request continues an unfinished job.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = (call: KillCall): Promise<CommandResponse> =>
  call.body.dry_run === true ? dryRun(call) : enforce(call);
