/** GET /interactions/{url_id}: the history of the game, newest first. */
import * as z from "zod/mini";
import { showInteractions } from "../../lib/app/lookups.ts";
import { Kind } from "../../lib/domain/interaction.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { InteractionReturnType } from "../../lib/http/views.ts";
import { parseInteraction } from "../../lib/store/items.ts";
import { expectedEntries, readPage } from "../../lib/store/lists.ts";

export const handler = endpoint({
  route: "GET /interactions/{url_id}",
  access: "player",
  request: { query: z.strictObject({ ...pagingFields(100, 200), kind: z.optional(Kind) }) },
  response: {
    schema: z.object({
      interactions: z.array(InteractionReturnType),
      next_cursor: z.nullable(z.string()),
    }),
  },
  run: async (call) => {
    const { player, query, services } = call;
    const place = { list: "interactions", filters: { kind: query.kind } };
    const newest = services.store.interactionEntries(
      call.game,
      expectedEntries(query.limit, query.kind !== undefined),
      { before: await readCursor(services, place, query.cursor) },
    );
    const page = await readPage(newest, query.limit, (item) => {
      const interaction = parseInteraction(item);
      return query.kind === undefined || interaction.kind === query.kind ? interaction : null;
    });
    return call.respond({
      interactions: await showInteractions(services.store, page.items, player),
      next_cursor: await makeCursor(services, place, page.next),
    });
  },
});
