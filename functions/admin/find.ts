/** GET /admin/find/{url_id}: finds at most ten players by alias, name, address, tag code or `player_ref`. */
import * as z from "zod/mini";
import { findPlayers } from "../../lib/app/players/findPlayers.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { text } from "../../lib/http/textFields.ts";
import { StaffPlayer } from "../../lib/http/views.ts";

const Found = z.lazy(() => z.object({ players: z.array(StaffPlayer), more: z.boolean() }));

export const handler = endpoint({
  route: "GET /admin/find/{url_id}",
  access: "moderator",
  request: { query: z.strictObject({ q: z._default(text(1, 60, "line"), "") }) },
  response: { schema: Found },
  read: (call) => findPlayers(call, call.query.q),
});

export const docs: EndpointDocs = {
  summary: "Find players",
  description:
    "Returns at most ten players. Each word of `q` must begin a word of the alias, a name or the address, regardless of case, accents and punctuation within names; or `q` is a tag code or a `player_ref`. Moderators cannot search by last name or address. Moderators, and game masters who play, can search ten unknown tag codes in ten minutes. Names and addresses that were stored by an earlier version are found in some spellings only after they have been changed, or after `npm run recount -- --fix`; `get_players` always finds them.",
  errors: ["too_many_attempts"],
  fields: {
    q: "The search text; without it, the result is empty.",
    players: "The players, sorted by alias.",
    more: "Whether there may be more players.",
  },
  example: { query: { q: "ada" } },
};
