/** POST /admin/undo_checkpoint/{url_id}: undoes the enforcement of a checkpoint. */
import { UndoRequest, UndoResponse, undoCheckpoint } from "../../lib/app/checkpoint/undoEnforcement.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/undo_checkpoint/{url_id}",
  access: "administrator",
  request: { body: UndoRequest },
  response: { schema: UndoResponse },
  idempotency: { scope: "player" },
  takesReason: false,
  run: undoCheckpoint,
});

export const docs: EndpointDocs = {
  summary: "Undo a checkpoint",
  description:
    "Makes every player whom the enforcement of a checkpoint has killed or turned what they were before: humans with the same tag code, zombies with as much time left as they had. Who has changed since by something else, such as a revival or a game master's killing, stays as they are. What somebody tagged as a zombie of the checkpoint counts. A job does it, like the enforcement. A dry run names everybody concerned, also afterwards those who have changed. The checkpoint can be enforced again.",
  errors: ["wrong_state", "busy", "in_progress"],
  success: {
    200: "The enforcement is undone; of a dry run, what would happen.",
    202: "Time ran out: the job continues by itself, and the log shows its end.",
  },
  fields: {
    checkpoint_id: "The checkpoint; it need not be the current one.",
    dry_run: "`true` changes nothing, and names everybody whom the enforcement has changed.",
    limit: "How many players a page of a dry run has; 100 by default.",
    restored: "How many are what they were before, or would be.",
    changed: "How many have changed since by something else.",
    complete: "`false` while the job continues.",
    players: "Of a dry run: a page of those whom the enforcement has changed, and what an undo does.",
    outcome: "`changed`: by something else, so that they stay as they are.",
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
