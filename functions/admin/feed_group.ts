/** POST /admin/feed_group/{url_id}: feeds a group of zombies. */
import { runGroupCommand } from "../../lib/app/game/groupCommand.ts";
import { FeedGroupRequest, GroupResponse } from "../../lib/app/game/groupRequest.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/feed_group/{url_id}",
  access: "administrator",
  request: { body: FeedGroupRequest },
  response: { schema: GroupResponse },
  idempotency: { scope: "player" },
  run: (call) => runGroupCommand(call, { action: "feed_group", from: "zombie" }),
});
