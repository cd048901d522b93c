/** GET /zombie/starvation/{url_id}: the living zombies, hungriest first. */
import * as z from "zod/mini";
import { countByHunger, listHungryZombies } from "../../lib/app/starvation/hungerList.ts";
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
  run: async (call) => {
    const { game, now, query, services } = call;
    const [page, counts] = await Promise.all([
      listHungryZombies(services, game, now, query),
      countByHunger(services.store, game, now),
    ]);
    return call.respond({ ...page, counts });
  },
});
