/** POST /admin/enforce_missions/{url_id}: kills players, or makes humans zombies, who attended too few required missions. */
import * as z from "zod/mini";
import { startMissionsEnforcement } from "../../lib/app/missions/enforce.ts";
import { State } from "../../lib/domain/players/player.ts";
import { commandOrDryRun, DRY_RUN_FIELDS, pageOfDryRun } from "../../lib/http/bulkCommand.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/enforce_missions/{url_id}",
  access: "administrator",
  request: {
    body: z
      .strictObject({
        ...DRY_RUN_FIELDS,
        min: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
        exempt: z.optional(z.array(AliasRef).check(z.maxLength(500))),
      })
      .check(pageOfDryRun),
  },
  response: {
    schema: z.object({
      killed: z.int(),
      spared: z.int(),
      needed: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
      /** `players` and `next_cursor` are only in the response to a dry run. */
      players: z.optional(z.array(z.object({ alias: z.nullable(z.string()), state: State, becomes: State }))),
      next_cursor: z.optional(z.nullable(z.string())),
    }),
    incompleteStatus: 202,
  },
  idempotency: { scope: "player" },
  run: (call) => {
    const { min, exempt } = call.body;
    const filters = { min: min?.toString(), exempt: exempt?.join("\n") };
    return commandOrDryRun(
      call,
      { list: "enforce_missions", filters },
      async (attempt, page) => {
        const { previewMissions } = await import("../../lib/app/missions/enforce.ts");
        return previewMissions(attempt, { min, exempt }, page);
      },
      () => startMissionsEnforcement(call, { min, exempt }),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Enforce required missions",
  description:
    "Does to every living player who attended fewer required missions than `min` what the setting `checkpoint_outcome` says. Missions that have not begun, drafts, and those before `missions_counted_from` do not count; each cancelled one lowers what is needed by one. Players who joined or began a life after the start of the last of them are exempt. It runs as a job like the enforcement of a checkpoint, and `POST /admin/undo_checkpoint` with the `job_id` as `checkpoint_id` undoes it.",
  errors: ["busy", "in_progress"],
  success: {
    200: "It was enforced or, with `dry_run`, would be.",
    202: "The job continues in the background, and its end is recorded in the audit log.",
  },
  fields: {
    min: "How many missions are required; by default the setting `missions_required`.",
    exempt: "The aliases of players to whom nothing happens.",
    dry_run: "`true` changes nothing and returns the players who would be killed or become zombies.",
    limit: "The page size of a dry run; 100 by default.",
    killed: "How many players were killed or became zombies.",
    spared: "How many players attended enough, or are exempt by name.",
    needed: "How many missions are needed, after those that were cancelled.",
    complete: "`false` while the job continues.",
    becomes: "The state that the player would have afterwards.",
    players: "Only in a dry run: a page of the players who would be killed or become zombies.",
  },
  example: { body: { min: 1, dry_run: true, limit: 1 } },
};
