/** POST /admin/kill_all_not_at_checkpoint/{url_id}: kills players, or makes humans zombies, who have not passed the checkpoint. */
import * as z from "zod/mini";
import { EnforcementRequest } from "../../lib/app/checkpoint/enforcementRequest.ts";
import { startEnforcement } from "../../lib/app/checkpoint/startEnforcement.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

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
  },
  idempotency: { scope: "player" },
  run: (call) => startEnforcement(call),
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
