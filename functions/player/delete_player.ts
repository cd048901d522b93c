/** DELETE /delete_player/{url_id}: deletes the player's own account and all personal data. */
import { deleteOwnAccount } from "../../lib/app/accounts/deleteAccount.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  response: { schema: null },
  action: "delete_player",
  run: deleteOwnAccount,
});

export const docs: EndpointDocs = {
  summary: "Delete your account",
  description:
    "Removes all personal data. A human's tag code remains valid within the report window. A player who leaves during play and registers again with the same password comes back as if they had stayed.",
  errors: ["last_administrator", "ask_game_master"],
  success: {
    204: "The account is deleted.",
    202: "The deletion of a player with very many notes continues in the background; the account is deleted last.",
  },
  fields: { complete: "`false` while the deletion continues." },
  example: {},
};
