/** POST /admin/feed_group/{url_id}: feeds a group of zombies. */
import { FeedGroupRequest, GroupResponse } from "../../lib/app/game/groupRequest.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/feed_group/{url_id}",
  access: "administrator",
  request: { body: FeedGroupRequest },
  response: { schema: GroupResponse },
  idempotency: { scope: "player" },
  run: async (call) => {
    // Imported on demand, so that rejected requests do not load it.
    const { runGroupCommand } = await import("../../lib/app/game/groupCommand.ts");
    return runGroupCommand(call, { action: "feed_group", from: "zombie" });
  },
});
