/** POST /admin/remove_player/{url_id}: deletes a player's account. */
import { removePlayer } from "../../lib/app/accounts/deleteAccount.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/remove_player/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: null },
  idempotency: { scope: "player" },
  run: (call) => removePlayer(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Delete a player's account",
  description: "Deletes the account like `/delete_player`, even if players have to ask a game master.",
  errors: ["last_administrator"],
  success: {
    204: "The account is deleted.",
    202: "The deletion of a player with very many notes continues in the background.",
  },
  fields: { complete: "`false` while the deletion continues." },
  example: { body: { alias: "Zed" } },
};
