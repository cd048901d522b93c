/** POST /admin/revive_all/{url_id}: revives a group of corpses or spectators. */
import { runGroupCommand } from "../../lib/app/game/groupCommand.ts";
import { GroupResponse, ReviveAllRequest } from "../../lib/app/game/groupRequest.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/revive_all/{url_id}",
  access: "administrator",
  request: { body: ReviveAllRequest },
  response: { schema: GroupResponse },
  idempotency: { scope: "player" },
  run: (call) => {
    const { as = "human", state: from = "corpse" } = call.body;
    return runGroupCommand(call, { action: "revive_all", as, from });
  },
});
