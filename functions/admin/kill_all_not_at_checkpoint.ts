/** POST /admin/kill_all_not_at_checkpoint/{url_id}: kills players, or makes humans zombies, who have not passed the checkpoint. */
import * as z from "zod/mini";
import { startEnforcement } from "../../lib/app/checkpoint/startEnforcement.ts";
import { State } from "../../lib/domain/players/player.ts";
import { commandOrDryRun, DRY_RUN_FIELDS, pageOfDryRun } from "../../lib/http/bulkCommand.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

/** The checkpoint to enforce; for a dry run, also the page of players to return. */
const EnforcementRequest = z
  .strictObject({
    ...DRY_RUN_FIELDS,
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
  })
  .check(pageOfDryRun);

export const handler = endpoint({
  route: "POST /admin/kill_all_not_at_checkpoint/{url_id}",
  access: "administrator",
  request: { body: EnforcementRequest },
  response: {
    schema: z.object({
      killed: z.int(),
      spared: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
      /** `players` and `next_cursor` are only in the response to a dry run. */
      players: z.optional(
        z.array(z.object({ alias: z.nullable(z.string()), state: State, becomes: z.optional(State) })),
      ),
      next_cursor: z.optional(z.nullable(z.string())),
    }),
    incompleteStatus: 202,
  },
  idempotency: { scope: "player" },
  run: (call) => {
    const { checkpoint_id } = call.body;
    return commandOrDryRun(
      call,
      { list: "checkpoint", filters: { checkpoint_id: call.game.checkpoint?.checkpoint_id } },
      async (attempt, page) => {
        // Imported on demand, so that an enforcement starts with less code.
        const { previewEnforcement } = await import("../../lib/app/checkpoint/preview.ts");
        return previewEnforcement(attempt, checkpoint_id, page);
      },
      () => startEnforcement(call, checkpoint_id),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Enforce the checkpoint",
  description:
    "Kills every living player to whom the checkpoint applies and who has not passed it; if the setting `checkpoint_outcome` is `zombie`, humans become zombies instead. Players who joined or were revived after the first enforcement are exempt. The job stores its progress and resumes after an interruption.",
  errors: ["no_checkpoint", "checkpoint_changed", "busy", "in_progress"],
  success: {
    200: "The checkpoint was enforced or, with `dry_run`, would be.",
    202: "The job continues in the background, and its end is recorded in the audit log.",
  },
  fields: {
    dry_run: "`true` changes nothing and returns the players who would be killed or become zombies.",
    limit: "The page size of a dry run; 100 by default.",
    killed: "How many players were killed or became zombies.",
    spared: "How many players had passed the checkpoint.",
    complete: "`false` while the job continues.",
    becomes: "The state that the player would have afterwards.",
    players: "Only in a dry run: a page of the players who would be killed or become zombies.",
  },
  example: { body: { dry_run: true, limit: 1 } },
};
