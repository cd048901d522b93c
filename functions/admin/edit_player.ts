/** POST /admin/edit_player/{url_id}: a game master changes a player's alias, names, address, roles, picture or note. */
import * as z from "zod/mini";
import { editAsAdministrator } from "../../lib/app/accounts/adminEdit.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import {
  atLeastOneOf,
  EarlierText,
  Email,
  exactlyOnePlayer,
  NewAlias,
  PersonName,
  PLAYER_REF_FIELDS,
} from "../../lib/http/fields.ts";
import { text } from "../../lib/http/textFields.ts";
import { StaffPlayer } from "../../lib/http/views.ts";

const AdminEdit = z
  .strictObject({
    ...PLAYER_REF_FIELDS,
    alias_to: z.optional(NewAlias),
    first_name: z.optional(z.nullable(PersonName)),
    last_name: z.optional(z.nullable(PersonName)),
    email: z.optional(z.nullable(Email)),
    is_admin: z.optional(z.boolean()),
    is_moderator: z.optional(z.boolean()),
    clear_picture: z.optional(z.boolean()),
    note: z.optional(z.nullable(text(1, 1_000, "text"))),
    was: z.optional(
      z.strictObject({
        alias_to: z.optional(EarlierText),
        first_name: z.optional(EarlierText),
        last_name: z.optional(EarlierText),
        email: z.optional(EarlierText),
        is_admin: z.optional(z.boolean()),
        is_moderator: z.optional(z.boolean()),
        note: z.optional(EarlierText),
      }),
    ),
  })
  .check(exactlyOnePlayer)
  .check(
    atLeastOneOf(
      "alias_to",
      "first_name",
      "last_name",
      "email",
      "is_admin",
      "is_moderator",
      "clear_picture",
      "note",
    ),
  );

export const handler = endpoint({
  route: "POST /admin/edit_player/{url_id}",
  access: "administrator",
  request: { body: AdminEdit },
  response: { schema: StaffPlayer },
  idempotency: { scope: "player" },
  decide: (call) => editAsAdministrator(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Change a player's alias, names, address, role, picture or note",
  description:
    "Name the player by exactly one of `alias` and `player_id`. At least one change is required. With `was`, the values that were read are compared first: if another game master has changed one of them, nothing is changed (409 `changed_meanwhile`). Game masters may change an alias to any free one at any time.",
  errors: ["alias_taken", "email_taken", "last_administrator", "changed_meanwhile"],
  fields: {
    alias_to: "The new alias.",
    is_admin: "Whether the player is an administrator. The last administrator cannot be removed.",
    is_moderator: "Whether the player is a moderator.",
    was: "What the fields were when they were read, `alias_to` for the alias. Without it, nothing is compared.",
    note: "The game masters' note about the player; `null` for none.",
    clear_picture: "`true` removes the player's picture.",
  },
  example: { body: { alias: "Ben", is_moderator: true } },
};
