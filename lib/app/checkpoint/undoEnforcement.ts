/** Undoes the enforcement of a checkpoint, in a job; a dry run only counts the players and lists them. */
import * as z from "zod/mini";
import { undoEnforcement } from "../../domain/checkpoint/undoCheckpoint.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { State } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { DRY_RUN_FIELDS, pageOfDryRun } from "../../http/fields.ts";
import { NoteText } from "../../http/textFields.ts";
import { undoWrite } from "../../store/absence.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { runJobCommand } from "./callJob.ts";
import { isUndo, newEnforcementJob } from "./enforcementJob.ts";
import type { EnforcementResult } from "./runEnforcement.ts";

export const UndoRequest = z
  .strictObject({
    ...DRY_RUN_FIELDS,
    checkpoint_id: z.guid("must be the id of a checkpoint, a UUID"),
    reason: NoteText,
  })
  .check(pageOfDryRun);

export const UndoResponse = z.object({
  /** The number of players who are, or would be, restored. */
  restored: z.int(),
  /** The number of players who have changed in another way since, and stay as they are. */
  changed: z.int(),
  complete: z.boolean(),
  job_id: z.nullable(z.string()),
  /** Only in a dry run. */
  players: z.optional(
    z.array(
      z.object({ alias: z.nullable(z.string()), state: State, outcome: z.enum(["restored", "changed"]) }),
    ),
  ),
  next_cursor: z.optional(z.nullable(z.string())),
});
type UndoResponse = z.infer<typeof UndoResponse>;

type UndoCall = Call<"administrator", z.infer<typeof UndoRequest>, unknown, UndoResponse>;

/** @throws DomainError `wrong_state` for the current checkpoint before its enforcement */
const requireEnforced = ({ checkpoint }: Game, id: string): void => {
  if (checkpoint?.checkpoint_id !== id || checkpoint.enforced_at !== null) return;
  throw new DomainError("wrong_state", `The checkpoint ${checkpoint.name} has not been enforced.`);
};

/** Marks the enforcement of a checkpoint as undone, if it is still the current checkpoint. */
const withUndoneMark = (game: Game, id: string, now: number): Game =>
  game.checkpoint?.checkpoint_id === id
    ? { ...game, checkpoint: { ...game.checkpoint, undone_at: rfc3339(now) } }
    : game;

const dryRun = async (call: UndoCall): Promise<CommandResponse> => {
  // Imported on demand, so that an undo starts with less code.
  const { preview } = await import("./preview.ts");
  const { audit, body, context, game, now, player } = call;
  const { checkpoint_id, reason } = body;
  return call.decide(async () => {
    requireEnforced(game, checkpoint_id);
    const undo = { checkpoint_id, actor: player.player_id, began_at: rfc3339(now), reason };
    const place = { list: "undo_checkpoint", filters: { checkpoint_id } };
    const decide = (one: typeof player) => undoEnforcement(one, game, undo, context);
    const found = await mapBusyToUnavailable(preview(call, place, decide, true));
    const counts = { restored: found.killed, changed: found.spared };
    audit.details = { checkpoint_id, reason, dry_run: true, ...counts };
    const players = found.players.map(({ alias, state, changes }) => ({
      alias,
      state,
      outcome: changes ? ("restored" as const) : ("changed" as const),
    }));
    const { next_cursor, aliases } = found;
    return {
      changes: {},
      result: { ...counts, complete: true, job_id: null, players, next_cursor },
      aliases,
    };
  });
};

/**
 * Restores the players whom the enforcement of a checkpoint killed or turned, unless they have changed in another way
 * since. A repeated request continues an unfinished job.
 * @throws DomainError `wrong_state`, `busy`, `in_progress`, `key_reused`
 */
export const undoCheckpoint = (call: UndoCall): Promise<CommandResponse> => {
  const { audit, body, now, player } = call;
  const { checkpoint_id, dry_run, reason } = body;
  if (dry_run === true) return dryRun(call);
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
    respond: ({ killed, spared, complete }: EnforcementResult, jobId) =>
      call.respond({ restored: killed, changed: spared, complete, job_id: jobId }),
  });
};
