/** GET /live/{url_id}: everything that an open page polls every 15 seconds. */
import * as z from "zod/mini";
import { LiveView, live } from "../../lib/app/live.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "GET /live/{url_id}",
  access: "player",
  request: { query: z.strictObject({ after: z.optional(EventId), inbox_after: z.optional(EventId) }) },
  response: { schema: LiveView },
  run: async (call) => call.respond(await live(call)),
});

export const docs: EndpointDocs = {
  summary: "Read what an open page needs",
  description:
    "The player, the game, what has happened since, and unread messages, in one call. Ask every 15 seconds with `If-None-Match`.",
  fields: {
    after: "`next_after` of the response before; the latest interactions by default.",
    inbox_after: "The id of the newest notification that the player has read.",
    player: "The player.",
    seconds_left: "The play time until the zombie starves, in seconds; `null` for others.",
    game: "The game.",
    interactions: "The events since `after`, newest first, at most 50. The latest ones may be repeated.",
    truncated: "Whether there are more than these.",
    next_after: "What to send as `after` the next time.",
    unread: "How many notifications are newer than `inbox_after`, at most 100.",
    newest_unread: "The newest of them.",
    rev: "How often the game itself was changed.",
  },
  example: {},
};
