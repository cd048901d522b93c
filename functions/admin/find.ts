/** GET /admin/find/{url_id}: finds at most ten players by alias, name, address, tag code or `player_ref`. */
import * as z from "zod/mini";
import { Found, findPlayers } from "../../lib/app/accounts/findPlayers.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { text } from "../../lib/http/textFields.ts";

export const handler = endpoint({
  route: "GET /admin/find/{url_id}",
  access: "moderator",
  request: { query: z.strictObject({ q: z._default(text(1, 60, "line"), "") }) },
  response: { schema: Found },
  run: async (call) => call.respond(await findPlayers(call)),
});

export const docs: EndpointDocs = {
  summary: "Find players",
  description:
    "At most ten players: those with each word of `q` at the beginning of a word of their alias, a name or the address, whatever the accents, or with the tag code or `player_ref` `q`. Moderators find nobody by last name or address. Names and addresses that an earlier version stored are found only after a change; `get_players` always finds them.",
  fields: {
    q: "What to look for; without it, nobody is found.",
    players: "The players, by alias.",
    more: "Whether there may be others.",
  },
  example: { query: { q: "ada" } },
};
