/** DELETE /delete_player/{url_id}: a player deletes their account and all personal data. */
import { deleteAccount } from "../../lib/app/accounts/deleteAccount.ts";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  response: { schema: null },
  audited: true,
  run: (call) => deleteAccount(call, reloadOnRetry(call), "delete_player"),
});
