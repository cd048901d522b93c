/** GET /interactions/tree/{url_id}: the infection tree. */
import * as z from "zod/mini";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { MAX_GENERATIONS } from "../../lib/domain/hunts/ancestry.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, wholeNumber } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { hiddenFrom } from "../../lib/store/hunts/hiddenOriginals.ts";

/** A node of the tree. */
export const ZombieTree = z.object({
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
  /** Whether it represents the hidden original zombies. */
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
  read: ({ game, now, player, query, services: { store } }) =>
    loadAncestryTree({ store, game, now, hidden: hiddenFrom(store.db, player, game, now) }, query),
});

export const docs: EndpointDocs = {
  summary: "Read the infection tree",
  description: "Who infected whom. A response has at most 10,000 nodes and 200 generations.",
  errors: ["not_found"],
  fields: {
    root: "The infection at the root of the tree; all original zombies by default.",
    depth: "The number of generations.",
    roots: "The root infections.",
    size: "The number of nodes.",
    truncated:
      "Whether there are more nodes. To continue, set `root` to the node whose descendants you want.",
  },
  example: {},
};
