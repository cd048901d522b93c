/** GET /users/{url_id}: lists all accounts by alias. */
import * as z from "zod/mini";
import { publicPlayer } from "../../lib/app/shown.ts";
import { roleOf, State } from "../../lib/domain/players/player.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { PublicPlayer } from "../../lib/http/views.ts";
import { hiddenFrom } from "../../lib/store/hunts/hiddenOriginals.ts";
import { parseRosterEntry } from "../../lib/store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../lib/store/lists.ts";

export const handler = endpoint({
  route: "GET /users/{url_id}",
  access: "player",
  request: { query: z.strictObject({ ...pagingFields(1_000), state: z.optional(State) }) },
  response: { schema: z.object({ users: z.array(PublicPlayer), next_cursor: z.nullable(z.string()) }) },
  run: async (call) => {
    const { game, now, player, query, services } = call;
    const place = { list: "users", filters: { state: query.state } };
    const roster = services.store.rosterEntries(
      game,
      expectedEntries(query.limit, query.state !== undefined),
      await readCursor(services, place, query.cursor),
      hiddenFrom(services.store.db, player, game, now),
    );
    // Roles are read separately, because the roster index of existing games does not have them.
    const { ids, moderators } = await services.store.administrators({ consistent: false });
    const page = await readPage(
      roster,
      query.limit,
      (item) => {
        const entry = parseRosterEntry(item);
        const { player_id: id } = entry;
        const role = roleOf({ is_admin: ids.includes(id), is_moderator: moderators.includes(id) });
        const shown = publicPlayer(entry, role, game, now);
        return query.state === undefined || shown.state === query.state ? shown : null;
      },
      query.state === undefined ? undefined : MAX_LOOKED_THROUGH,
    );
    return call.respond({ users: page.items, next_cursor: await makeCursor(services, place, page.next) });
  },
});

export const docs: EndpointDocs = {
  summary: "List all players",
  description:
    "The public profiles of all players, sorted by alias. With `state`, a page looks through at most 1,000 of them: it may be short, or empty, and have a `next_cursor` all the same.",
  fields: { users: "A page of players." },
  example: { query: { limit: 2, state: "zombie" } },
};
