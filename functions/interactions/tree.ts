/** GET /interactions/tree/{url_id}: who infected whom. */
import * as z from "zod/mini";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { MAX_GENERATIONS } from "../../lib/domain/ancestry.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, wholeNumber } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

const ZombieTree = z.object({
  infection_id: z.string(),
  player_ref: z.nullable(z.string()),
  alias: z.nullable(z.string()),
  state: z.nullable(State),
  picture_url: z.nullable(z.string()),
  infected_at: Timestamp,
  kills: z.int(),
  /** Whether the hunt was voided. The players whom this zombie infected stay below it. */
  voided: z.boolean(),
  get children() {
    return z.array(ZombieTree);
  },
});

export const handler = endpoint({
  route: "GET /interactions/tree/{url_id}",
  access: "player",
  request: {
    query: z.strictObject({
      root: z.optional(EventId),
      depth: wholeNumber(1, MAX_GENERATIONS, MAX_GENERATIONS),
    }),
  },
  response: { schema: z.object({ roots: z.array(ZombieTree), size: z.int(), truncated: z.boolean() }) },
  run: async (call) => {
    const { game, now, query, services } = call;
    return call.respond(await loadAncestryTree(services.store, game, now, query));
  },
});
