/** GET /notifications/inbox/{url_id}: lists the player's notifications, newest first. */
import * as z from "zod/mini";
import { readInbox } from "../../lib/app/notifications/inbox.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, pagingFields } from "../../lib/http/fields.ts";
import { InboxMessage } from "../../lib/http/views.ts";

const Inbox = z.object({
  notifications: z.array(InboxMessage),
  unread: z.int(),
  next_cursor: z.nullable(z.string()),
});

export const handler = endpoint({
  route: "GET /notifications/inbox/{url_id}",
  access: "player",
  request: { query: z.strictObject({ ...pagingFields(20, 100), after: z.optional(EventId) }) },
  response: {
    schema: Inbox,
    errors: "text",
    lookupStatus: 403,
    faultMessage: "The notifications could not be read.",
  },
  read: (call) =>
    paged(call.services, { list: "inbox" }, call.query.cursor, (before) =>
      readInbox(call, call.query, before),
    ),
});

export const docs: EndpointDocs = {
  summary: "Read your notifications",
  description:
    "The sent notifications that are addressed to the player in their current state, newest first. It does not require push.",
  fields: {
    after: "The id of the newest notification that the player has read.",
    notifications: "A page of notifications.",
    unread: "How many notifications are newer than `after`, at most 100.",
  },
  example: {},
};
