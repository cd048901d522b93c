/** GET /admin/get_logs/{url_id}: lists the audit log, newest first. */
import * as z from "zod/mini";
import { listLogEntries } from "../../lib/app/auditLog.ts";
import { actionNames, isOfChange } from "../../lib/domain/actions.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { LogEntryView } from "../../lib/http/views.ts";
import type { LogEntry } from "../../lib/store/items.ts";

export const handler = endpoint({
  route: "GET /admin/get_logs/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({
      ...pagingFields(),
      action: z.optional(z.enum(actionNames())),
      changes: z.optional(z.literal("true")),
      outcome: z.optional(z.enum(["done", "refused"])),
    }),
  },
  response: { schema: z.object({ logs: z.array(LogEntryView), next_cursor: z.nullable(z.string()) }) },
  read: (call) => {
    const { limit, cursor, ...filters } = call.query;
    const { action, changes, outcome } = filters;
    const isWanted = (entry: LogEntry): boolean =>
      (action === undefined || entry.action === action) &&
      (changes === undefined || isOfChange(entry)) &&
      (outcome === undefined || (entry.outcome === "done") === (outcome === "done"));
    const filter = Object.keys(filters).length === 0 ? null : isWanted;
    return paged(call.services, { list: "logs", filters }, cursor, (before) =>
      listLogEntries(call, limit, filter, before),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Read the audit log",
  description:
    "All calls of game masters and moderators, logins, password changes, account deletions and background work, newest first. Rejected calls are included, except logins and password changes without a known account. While originals are hidden, game masters who play see no targets and details. A filtered page looks through at most 1,000 entries: it may be short, or empty, and have a `next_cursor` all the same.",
  fields: {
    logs: "A page of the log.",
    action: "The action: the last word of the endpoint's path, or the name of background work.",
    changes: "`true` leaves out reads, logins and dry runs.",
    outcome: "Only calls that were done, or only refused ones.",
  },
  example: { query: { limit: 2, action: "set_checkpoint" } },
};
