/** POST /admin/feed_group/{url_id}: feeds a group of zombies. */
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

const FeedGroupRequest = z.strictObject(selectionFields(["zombie"])).check(isSelective, pageOfDryRun);

const COMMAND = { action: "feed_group", from: "zombie" } as const;

export const handler = endpoint({
  route: "POST /admin/feed_group/{url_id}",
  access: "administrator",
  request: { body: FeedGroupRequest },
  response: { schema: GroupResponse, incompleteStatus: 202 },
  idempotency: { scope: "player" },
  run: (call) => commandOnGroup(call, COMMAND, () => import("../../lib/app/game/groupCommand.ts")),
});

export const docs: EndpointDocs = {
  summary: "Feed a group",
  description:
    "Feeds the zombies who match every filter given: `aliases`, `label`, `state`. At least one is required. If an alias is unknown, nobody is fed.",
  errors: ["player_not_found", "in_progress"],
  success: {
    200: "What was done, or with `dry_run` would be done.",
    202: "The job continues in the background.",
  },
  fields: {
    aliases: "Only these players.",
    label: "Only players with this label.",
    state: "On its own, selects all zombies.",
    dry_run: "`true` changes nothing and returns the players who would be changed.",
    limit: "The page size of a dry run; 100 by default.",
    count: "How many were changed.",
    skipped: "How many other players of the group were skipped because of their state.",
    complete: "`false` while the job continues.",
    players: "Only in a dry run: a page of the players who would be changed.",
  },
  example: { body: { aliases: ["Ada", "Zed"], dry_run: true } },
};
