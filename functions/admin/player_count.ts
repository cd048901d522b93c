/** GET /admin/player_count/{url_id}: counts the players in each state. */
import * as z from "zod/mini";
import { countPlayers } from "../../lib/app/players/countPlayers.ts";
import { nullableInteger } from "../../lib/domain/schemas.ts";
import { COUNTS_FIELDS, countsProse } from "../../lib/http/counts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { NewAudience } from "../../lib/http/fields.ts";

const PlayerCount = z.object({
  ...COUNTS_FIELDS,
  reachable: z.optional(nullableInteger),
});

export const handler = endpoint({
  route: "GET /admin/player_count/{url_id}",
  access: "administrator",
  request: { query: z.strictObject({ audience: z.optional(NewAudience) }) },
  response: { schema: PlayerCount },
  read: (call) => countPlayers(call, call.query.audience),
});

export const docs: EndpointDocs = {
  summary: "Count the players in each state",
  description: "Zombies count as corpses from the moment they starve.",
  fields: {
    ...countsProse(),
    audience: "Also counts the players of this audience who can be reached by push.",
    reachable:
      "With `audience`: how many of its players have a push subscription; `null` if the audience is not `all` and more than 1,000 players have one.",
  },
  example: {},
};
