/** GET /interactions/tree/{url_id}: the infection tree. */
import * as z from "zod/mini";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { MAX_GENERATIONS } from "../../lib/domain/hunts/ancestry.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, wholeNumber } from "../../lib/http/fields.ts";
import { ZombieTree } from "../../lib/http/views.ts";
import { hiddenFrom } from "../../lib/store/hunts/hiddenOriginals.ts";

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
