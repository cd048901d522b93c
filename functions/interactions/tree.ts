/** GET /interactions/tree/{url_id}: the infection tree. */
import * as z from "zod/mini";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { ZombieTree } from "../../lib/app/hunts/treeView.ts";
import { MAX_GENERATIONS } from "../../lib/domain/hunts/ancestry.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, wholeNumber } from "../../lib/http/fields.ts";
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
  run: async (call) => {
    const { game, now, player, query, services } = call;
    const { store } = services;
    const hidden = hiddenFrom(store.db, player, game, now);
    return call.respond(await loadAncestryTree({ store, game, now, hidden }, query));
  },
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
