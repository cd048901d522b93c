/** DELETE /delete_player/{url_id}: a player leaves; everything personal is removed. */

import { leave } from "../../lib/app/accounts/deleteAccount.ts";
import { freshly } from "../../lib/app/currentState.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  answer: null,
  logged: true,
  run: (call) => leave(call, freshly(call), "delete_player"),
});
