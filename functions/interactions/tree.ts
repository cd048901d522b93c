/** GET /interactions/tree/{url_id}: who infected whom. */
import * as z from "zod/mini";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { MAX_GENERATIONS } from "../../lib/domain/ancestry.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, wholeNumber } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { hiddenFrom } from "../../lib/store/hiddenOriginals.ts";

const ZombieTree = z.object({
  /** `null` for the root above the infections of hidden original zombies. */
  infection_id: z.nullable(z.string()),
  player_ref: z.nullable(z.string()),
  alias: z.nullable(z.string()),
  state: z.nullable(State),
  picture_url: z.nullable(z.string()),
  infected_at: z.nullable(Timestamp),
  kills: z.int(),
  /** Whether the hunt was voided. The players whom this zombie infected stay below it. */
  voided: z.boolean(),
  /** Whether it stands for the original zombies that are hidden. */
  hidden: z.optional(z.literal(true)),
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
    const { game, now, player, query, services } = call;
    const { store } = services;
    const hidden = hiddenFrom(store.db, player, game, now);
    return call.respond(await loadAncestryTree({ store, game, now, hidden }, query));
  },
});
