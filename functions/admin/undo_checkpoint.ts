/** POST /admin/undo_checkpoint/{url_id}: undoes the enforcement of a checkpoint. */
import * as z from "zod/mini";
import { undoCheckpoint } from "../../lib/app/checkpoint/undoEnforcement.ts";
import { State } from "../../lib/domain/players/player.ts";
import { commandOrDryRun, DRY_RUN_FIELDS, pageOfDryRun } from "../../lib/http/bulkCommand.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { NoteText } from "../../lib/http/textFields.ts";

const UndoRequest = z
  .strictObject({
    ...DRY_RUN_FIELDS,
    checkpoint_id: z.guid("must be the id of a checkpoint, a UUID"),
    reason: NoteText,
  })
  .check(pageOfDryRun);

const UndoResponse = z.object({
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

export const handler = endpoint({
  route: "POST /admin/undo_checkpoint/{url_id}",
  access: "administrator",
  request: { body: UndoRequest },
  response: { schema: UndoResponse, incompleteStatus: 202 },
  idempotency: { scope: "player" },
  takesReason: false,
  run: (call) => {
    const { checkpoint_id, reason } = call.body;
    return commandOrDryRun(
      call,
      { list: "undo_checkpoint", filters: { checkpoint_id } },
      async (attempt, page) => {
        // Imported on demand, so that an undo starts with less code.
        const { previewUndo } = await import("../../lib/app/checkpoint/preview.ts");
        return previewUndo(attempt, { checkpoint_id, reason }, page);
      },
      () => undoCheckpoint(call, { checkpoint_id, reason }),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Undo a checkpoint",
  description:
    "Restores the players whom the enforcement of a checkpoint has killed or turned: humans with their old tag code, zombies with the time that they had left. Players who have changed since, for example by a revival, stay as they are. Tags by players who became zombies at the checkpoint still count. Runs as a job, like the enforcement. A dry run lists all affected players, including those who have changed since. The checkpoint can be enforced again.",
  errors: ["wrong_state", "busy", "in_progress"],
  success: {
    200: "The enforcement was undone or, with `dry_run`, would be.",
    202: "The job continues in the background, and the log shows its end.",
  },
  fields: {
    checkpoint_id: "The id of the checkpoint, which need not be the current one.",
    dry_run: "`true` changes nothing and returns the players whom the enforcement has changed.",
    limit: "The page size of a dry run; 100 by default.",
    restored: "How many players were restored or, with `dry_run`, would be.",
    changed: "How many players stay as they are, because they have changed since.",
    complete: "`false` while the job continues.",
    players:
      "Only in a dry run: a page of the players whom the enforcement has changed, and what an undo does.",
    outcome: "`changed` means that the player has changed since and stays as they are.",
  },
  example: {
    body: () => ({
      checkpoint_id: "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11",
      dry_run: true,
      limit: 1,
      reason: "The list was late.",
    }),
  },
};
