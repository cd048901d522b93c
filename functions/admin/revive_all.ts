/** POST /admin/revive_all/{url_id}: revives a group of corpses or spectators. */
import { GroupResponse, ReviveAllRequest } from "../../lib/app/game/groupRequest.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/revive_all/{url_id}",
  access: "administrator",
  request: { body: ReviveAllRequest },
  response: { schema: GroupResponse },
  idempotency: { scope: "player" },
  run: async (call) => {
    // Imported on demand, so that rejected requests do not load it.
    const { runGroupCommand } = await import("../../lib/app/game/groupCommand.ts");
    const { as = "human", state: from = "corpse" } = call.body;
    return runGroupCommand(call, { action: "revive_all", as, from });
  },
});

export const docs: EndpointDocs = {
  summary: "Revive a group",
  description:
    "Revives the corpses, or with `state` the spectators, who meet all that is given of `aliases`, `label` and `state`. At least one is required. If an alias is unknown, nobody is changed.",
  errors: ["player_not_found", "in_progress"],
  success: {
    200: "What was done; of a dry run, what would be.",
    202: "Time ran out: the job continues by itself.",
  },
  fields: {
    aliases: "Only these players.",
    label: "Only players with this label.",
    state: "Whom of the group to revive; `corpse` by default.",
    as: "What they become; `human` by default.",
    dry_run: "`true` changes nothing, and names who would be changed.",
    limit: "How many players a page of a dry run has; 100 by default.",
    count: "How many were changed.",
    skipped: "How many others of the group there are, whose state does not allow it.",
    complete: "`false` while the job continues.",
    players: "Of a dry run: a page of those who would be changed.",
  },
  example: { body: { aliases: ["Ada", "Zed"], dry_run: true } },
};
