/** POST /admin/revive_all/{url_id}: revives a group of corpses or spectators. */
import * as z from "zod/mini";
import {
  commandOnGroup,
  GroupResponse,
  isSelective,
  pageOfDryRun,
  selectionFields,
} from "../../lib/http/bulkCommand.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

const ReviveAllRequest = z
  .strictObject({
    ...selectionFields(["corpse", "spectator"]),
    as: z.optional(z.enum(["human", "zombie"])),
    hidden: z.optional(z.boolean()),
  })
  .check(isSelective, pageOfDryRun)
  .check(
    z.refine(({ as, hidden }) => hidden === undefined || as === "zombie", {
      error: "is only for zombies",
      path: ["hidden"],
    }),
  );

export const handler = endpoint({
  route: "POST /admin/revive_all/{url_id}",
  access: "administrator",
  request: { body: ReviveAllRequest },
  response: { schema: GroupResponse, incompleteStatus: 202 },
  idempotency: { scope: "player" },
  run: (call) => {
    const { as = "human", state: from = "corpse", hidden } = call.body;
    const command = { action: "revive_all", as, from, hidden } as const;
    return commandOnGroup(call, command, () => import("../../lib/app/game/groupCommand.ts"));
  },
});

export const docs: EndpointDocs = {
  summary: "Revive a group",
  description:
    "Revives the corpses, or with `state` the spectators, who match all given filters out of `aliases`, `label` and `state`, of which at least one is required. Players about whom a game master has to decide are skipped. If an alias is unknown, nobody is changed.",
  errors: ["player_not_found", "in_progress"],
  success: {
    200: "What was done, or with `dry_run` would be done.",
    202: "The job continues in the background.",
  },
  fields: {
    aliases: "Only these players.",
    label: "Only players with this label.",
    state: "The state of the players to revive; `corpse` by default.",
    as: "The state that they get; `human` by default.",
    hidden:
      "Only with `as` `zombie`, and as for `revive_z`: whether others see humans while original zombies are hidden; `true` by default.",
    dry_run: "`true` changes nothing and returns the players who would be changed.",
    limit: "The page size of a dry run; 100 by default.",
    count: "How many were changed.",
    skipped: "How many other players of the group were skipped because of their state.",
    complete: "`false` while the job continues.",
    players: "Only in a dry run: a page of the players who would be changed.",
  },
  example: { body: { aliases: ["Ada", "Zed"], dry_run: true } },
};
