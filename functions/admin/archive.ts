/** GET /admin/archive/{url_id}: reads the archive of the game, page by page. */
import * as z from "zod/mini";
import { archivePage } from "../../lib/app/game/archive.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { wholeNumber } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

/** A cursor holds the key of an item, of up to 3 KB, encrypted, as base64url. */
const MAX_CURSOR_LENGTH = 5_000;

export const handler = endpoint({
  route: "GET /admin/archive/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({
      limit: wholeNumber(1, 1_000, 1_000),
      cursor: z.optional(z.string().check(z.maxLength(MAX_CURSOR_LENGTH))),
    }),
  },
  response: {
    schema: z.object({
      header: z.object({
        format: z.string(),
        version: z.int(),
        at: Timestamp,
        table: z.string(),
        partial: z.boolean(),
      }),
      lines: z.array(z.string()),
      next_cursor: z.nullable(z.string()),
    }),
  },
  read: (call) =>
    paged(call.services, { list: "archive" }, call.query.cursor, (after) =>
      archivePage(call, { limit: call.query.limit, after }),
    ),
});

export const docs: EndpointDocs = {
  summary: "Read the archive",
  description:
    "All items of the game but for secrets: password hashes, sessions, push subscriptions, webhooks, bans, join codes, and players who have left. With the header as the first line, these lines, and a last line with the number of items and the SHA-256 of all lines before it, the pages are a file for `npm run import`. `npm run export` writes a complete one. Only for game masters who do not play.",
  errors: ["wrong_state", "busy"],
  fields: {
    header: "The first line of the file.",
    format: "The format of the file.",
    version: "The version of the format.",
    at: "When the page was read.",
    table: "The table of an export; empty here.",
    partial: "`true`: secrets are left out.",
    limit: "How many items a page looks at; those that are left out count.",
    lines:
      "The items of the page, each as a line of JSON. A page may be empty and have a `next_cursor` all the same.",
  },
  example: { query: { limit: 1 } },
};
