/** GET /zombie/starvation/{url_id}: lists the living zombies, hungriest first. */
import * as z from "zod/mini";
import { readHunger } from "../../lib/app/starvation/hungerList.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { IDENTITY_FIELDS, Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /zombie/starvation/{url_id}",
  access: "player",
  request: { query: z.strictObject(pagingFields()) },
  response: {
    schema: z.object({
      zombies: z.array(
        z.object({
          ...IDENTITY_FIELDS,
          alias: z.string(),
          starves_at: z.nullable(Timestamp),
          seconds_left: z.int(),
        }),
      ),
      next_cursor: z.nullable(z.string()),
      counts: z.object({ fed: z.int(), hungry: z.int(), starving: z.int() }),
    }),
  },
  read: (call) => {
    const { limit, cursor } = call.query;
    return paged(call.services, { list: "starvation" }, cursor, (after) =>
      readHunger(call, { limit, after }),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "List the hungriest zombies",
  description:
    "The living zombies, hungriest first, and how many are hungry. If more than 1,000 are hungry, the counts may be up to a minute old.",
  fields: {
    zombies: "A page of zombies.",
    seconds_left: "The play time that is left, in seconds.",
    counts: "The number of zombies by hunger.",
    fed: "How many have 24 hours or more left.",
    hungry: "How many have less than 24 hours left.",
    starving: "How many have less than 6 hours left.",
  },
  example: { query: { limit: 2 } },
};
