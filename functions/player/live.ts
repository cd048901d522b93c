/** GET /live/{url_id}: everything that an open page polls every 15 seconds. */
import * as z from "zod/mini";
import { live } from "../../lib/app/live.ts";
import { integer, nullableText } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { GameView } from "../../lib/http/gameViews.ts";
import { InboxMessage, InteractionReturnType, PlayerReturnInfo, Timestamp } from "../../lib/http/views.ts";

const LiveView = z.lazy(() =>
  z.object({
    player: PlayerReturnInfo,
    /** The play time until a zombie starves. */
    seconds_left: z.nullable(integer),
    game: GameView,
    /** The interactions since `after`, newest first. */
    interactions: z.array(InteractionReturnType),
    /** Whether there are more interactions since `after` than these. */
    truncated: z.boolean(),
    /** The value to send as `after` in the next request. */
    next_after: nullableText,
    unread: integer,
    newest_unread: z.nullable(InboxMessage),
    /** When the player last turned push off on all devices. */
    push_off_at: z.optional(Timestamp),
    rev: integer,
  }),
);

export const handler = endpoint({
  route: "GET /live/{url_id}",
  access: "player",
  request: { query: z.strictObject({ after: z.optional(EventId), inbox_after: z.optional(EventId) }) },
  response: { schema: LiveView },
  read: (call) => live(call, call.query),
});

export const docs: EndpointDocs = {
  summary: "Poll the state of an open page",
  description:
    "Returns the player, the game, new events and unread notifications in one call. Poll every 15 seconds with `If-None-Match`.",
  fields: {
    after:
      "`next_after` of the previous response; the latest events by default, and for an id of the future.",
    inbox_after: "The id of the newest notification that the player has read.",
    player: "The player.",
    seconds_left: "The play time until the zombie starves, in seconds; `null` for others.",
    game: "The game.",
    interactions: "The events since `after`, newest first, at most 50. The latest ones may be repeated.",
    truncated: "Whether there are more events.",
    next_after: "The value of `after` for the next call.",
    unread: "How many notifications are newer than `inbox_after`, at most 100.",
    newest_unread: "The newest unread notification.",
    push_off_at:
      "When the player last turned push off on all devices; absent for never. A device that was subscribed before ends its subscription.",
    rev: "The revision of the game, which grows with each change.",
  },
  example: {},
};
