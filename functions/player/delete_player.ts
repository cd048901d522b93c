/** DELETE /delete_player/{url_id}: a player leaves; everything personal is removed. */
import { endpoint } from "../../lib/http/endpoint.ts";
import { leave } from "../../lib/http/leave.ts";
import { freshly } from "../../lib/http/scene.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  answer: null,
  logged: true,
  run: (call) => leave(call, freshly(call), "delete_player"),
});
