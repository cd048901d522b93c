/** POST /admin/ban/{url_id}: bans an alias with its account, or an e-mail address. */
import * as z from "zod/mini";
import { ban } from "../../lib/app/accounts/bans.ts";
import { BanView, banView } from "../../lib/http/banViews.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, exactlyOneOf, NewAlias, ZonedTime } from "../../lib/http/fields.ts";

const BanRequest = z
  .strictObject({
    alias: z.optional(NewAlias),
    email: z.optional(Email),
    until: z.optional(z.nullable(ZonedTime)),
  })
  .check(exactlyOneOf("alias", "email"));

export const handler = endpoint({
  route: "POST /admin/ban/{url_id}",
  access: "administrator",
  request: { body: BanRequest },
  response: { schema: BanView },
  idempotency: { scope: "player" },
  decide: (call) => ban(call, call.body),
  view: banView,
});

export const docs: EndpointDocs = {
  summary: "Ban an alias or an e-mail address",
  description:
    "Nobody can register with the banned alias or one that looks like it, even in new seasons. The player who has the alias, or has given it up in this season, " +
    "is logged out, gets no pushes any more and cannot log in. A newcomer with the banned address, or with an address or alias that the player had before, waits for a game master. " +
    "Where mail is sent, the ban of an address is that of the account that has confirmed it, whoever else has typed it: nobody confirms the address any more. To ban a player who has only typed it, ban the alias. An address that a banned player had not confirmed keeps no newcomer from playing until a game master decides. Replaces an earlier ban of the same alias, player or address.",
  errors: ["wrong_state"],
  fields: {
    ban_id: "The id of the ban.",
    alias: "The banned alias, the present one of a banned player; `null` for a ban of an address.",
    former_aliases: "The aliases that the player had given up before in the season.",
    covers_email: "Whether it covers e-mail addresses, of which only hashes are stored.",
    has_account: "Whether an account was locked out by it.",
    until: "When it ends; `null` if it lasts until it is lifted.",
    created_at: "When it was made.",
  },
  example: { body: { alias: "Trudy" } },
};
