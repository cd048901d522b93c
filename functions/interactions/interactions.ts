/** GET /interactions/{url_id}: lists the events of the game, newest first. */
import * as z from "zod/mini";
import { listInteractions, readFilters } from "../../lib/app/listInteractions.ts";
import { Kind } from "../../lib/domain/hunts/interaction.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, EventId, pagingFields } from "../../lib/http/fields.ts";
import { InteractionReturnType } from "../../lib/http/views.ts";

const InteractionsQuery = z.strictObject({
  ...pagingFields(100, 200),
  kind: z.optional(Kind),
  after: z.optional(EventId),
  player: z.optional(AliasRef),
  target: z.optional(AliasRef),
  actor: z.optional(AliasRef),
});

const Interactions = z.object({
  interactions: z.array(InteractionReturnType),
  next_cursor: z.nullable(z.string()),
});

export const handler = endpoint({
  route: "GET /interactions/{url_id}",
  access: "player",
  request: { query: InteractionsQuery },
  response: { schema: Interactions },
  read: async (call) => {
    const { limit, cursor, ...named } = call.query;
    const filters = await readFilters(call, named);
    const scope = { list: "interactions", filters: { ...filters } };
    return paged(call.services, scope, cursor, (before) => listInteractions(call, filters, limit, before));
  },
});

export const docs: EndpointDocs = {
  summary: "List events",
  description:
    "The events of the game, newest first. A page of one player's events may have fewer items than `limit` and still have a `next_cursor`.",
  errors: ["not_administrator"],
  fields: {
    interactions: "A page of events.",
    kind: "Only events of this kind.",
    after: "Only events later than the one with this id.",
    player: "Only events with this player as actor or target: `me`, an alias or a `player_ref`.",
    target: "Like `player`, but only as the target; for game masters.",
    actor: "Like `player`, but only as the actor; for game masters.",
  },
  example: { query: { limit: 1, kind: "hunt" } },
};
