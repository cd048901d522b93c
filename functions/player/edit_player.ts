/** POST /edit_player/{url_id}: changes the player's own alias, names, e-mail address or push preferences. */
import * as z from "zod/mini";
import { editOwnProfile } from "../../lib/app/accounts/editProfile.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import {
  atLeastOneOf,
  Email,
  MailKinds,
  NewAlias,
  Password,
  PersonName,
  PushKinds,
} from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

const EditPlayer = z
  .strictObject({
    alias: z.optional(NewAlias),
    first_name: z.optional(z.nullable(PersonName)),
    last_name: z.optional(z.nullable(PersonName)),
    email: z.optional(z.nullable(Email)),
    wants_original: z.optional(z.boolean()),
    named_in_past: z.optional(z.boolean()),
    push_kinds: z.optional(PushKinds),
    mail_kinds: z.optional(MailKinds),
    photo_consent: z.optional(z.boolean()),
    current_password: z.optional(Password),
  })
  .check(
    atLeastOneOf(
      "alias",
      "first_name",
      "last_name",
      "email",
      "wants_original",
      "named_in_past",
      "push_kinds",
      "mail_kinds",
      "photo_consent",
    ),
  );

export const handler = endpoint({
  route: "POST /edit_player/{url_id}",
  access: "player",
  request: { body: EditPlayer },
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  run: (call) => editOwnProfile(call, call.body, call.clientAddress),
});

export const docs: EndpointDocs = {
  summary: "Change your profile",
  description:
    "Requires at least one field; `null` clears names and the address. The alias can be changed once a day, and the address three times and then once every eight hours. Any address is accepted: game masters decide about one that is banned or, with `unique_email`, in use. If the service sends mail, a link to confirm the address is sent to it, also if the same address is given again: at most one a minute and five an hour. A confirmed address is changed only with `current_password`, and stays until the new one is confirmed.",
  errors: [
    ...(["wrong_state", "banned", "alias_taken", "ask_game_master", "bad_credentials"] as const),
    "too_many_attempts",
  ],
  fields: {
    current_password: "The password, which is needed to change an address that is confirmed.",
    photo_consent:
      "Whether photos of the player may be shown, of a player who has signed the waiver. `false` also removes the picture.",
    named_in_past:
      "`true` names the player in the recaps of past seasons, which everybody can read while `public_board` is on, and everybody with an account otherwise; by default they are nobody's alias there.",
    mail_kinds:
      "The optional mails to get, such as `announcement`; `null` means all. They are sent to a confirmed address alone, and each has a link that switches it off.",
    push_kinds: "The kinds of game events to push; `null` means all, including those of later versions.",
  },
  example: { body: { first_name: "Ada", email: "ada@example.org" } },
};
