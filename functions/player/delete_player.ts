/** DELETE /delete_player/{url_id}: a player deletes their account and all personal data. */
import { deleteAccount } from "../../lib/app/accounts/deleteAccount.ts";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { requireMayLeave } from "../../lib/domain/departure.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  response: { schema: null },
  audited: true,
  run: (call) => {
    const load = reloadOnRetry(call);
    const find = async () => {
      const found = await load();
      requireMayLeave(found.player, found.game, call.now);
      return found;
    };
    return deleteAccount(call, find, "delete_player");
  },
});
