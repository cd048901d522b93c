/** POST /admin/edit_player/{url_id}: a game master changes another player's alias, role or picture. */
import * as z from "zod/mini";
import { editAsAdministrator } from "../../lib/app/accounts/adminEdit.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { atLeastOneOf, exactlyOnePlayer, NewAlias, PLAYER_REF_FIELDS } from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

const AdminEdit = z
  .strictObject({
    ...PLAYER_REF_FIELDS,
    alias_to: z.optional(NewAlias),
    is_admin: z.optional(z.boolean()),
    is_moderator: z.optional(z.boolean()),
    clear_picture: z.optional(z.boolean()),
  })
  .check(exactlyOnePlayer)
  .check(atLeastOneOf("alias_to", "is_admin", "is_moderator", "clear_picture"));

export const handler = endpoint({
  route: "POST /admin/edit_player/{url_id}",
  access: "administrator",
  request: { body: AdminEdit },
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  run: (call) => editAsAdministrator(call),
});
