/** POST /admin/ban/{url_id}: bans an alias with its account, or an e-mail address. */
import { BanRequest, BanView, ban } from "../../lib/app/accounts/bans.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/ban/{url_id}",
  access: "administrator",
  request: { body: BanRequest },
  response: { schema: BanView },
  idempotency: { scope: "player" },
  run: (call) => ban(call),
});

export const docs: EndpointDocs = {
  summary: "Ban an alias or an e-mail address",
  description:
    "Nobody can register with the banned alias, one that looks like it, or the banned address, even in new seasons. The account with the alias " +
    "is logged out and cannot log in. Replaces an earlier ban of the same alias or address.",
  errors: ["wrong_state"],
  fields: {
    ban_id: "The id of the ban.",
    alias: "The banned alias; `null` for a ban of an address.",
    covers_email: "Whether it covers an e-mail address, of which only a hash is stored.",
    has_account: "Whether an account was locked out by it.",
    until: "When it ends; `null` if it lasts until it is lifted.",
    created_at: "When it was made.",
  },
  example: { body: { alias: "Trudy" } },
};
