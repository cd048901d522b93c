/** POST /admin/revive_all/{url_id}: revives a group of corpses or spectators. */
import { GroupResponse, ReviveAllRequest } from "../../lib/app/game/groupRequest.ts";
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
