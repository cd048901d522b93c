/** GET /users/{url_id}: lists all accounts by alias. */
import * as z from "zod/mini";
import { listProfiles } from "../../lib/app/players/publicProfiles.ts";
import { State } from "../../lib/domain/players/player.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { PublicPlayer } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /users/{url_id}",
  access: "player",
  request: { query: z.strictObject({ ...pagingFields(1_000), state: z.optional(State) }) },
  response: { schema: z.object({ users: z.array(PublicPlayer), next_cursor: z.nullable(z.string()) }) },
  read: async (call) => {
    const { limit, cursor, state } = call.query;
    const scope = { list: "users", filters: { state } };
    return paged(call.services, scope, cursor, (after) => listProfiles(call, state, { limit, after }));
  },
});

export const docs: EndpointDocs = {
  summary: "List all players",
  description:
    "The public profiles of all players, sorted by alias. With `state`, a page looks through at most 1,000 of them: it may be short, or empty, and have a `next_cursor` all the same.",
  fields: { users: "A page of players." },
  example: { query: { limit: 2, state: "zombie" } },
};
