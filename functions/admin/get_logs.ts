/** GET /admin/get_logs/{url_id}: lists the audit log, newest first. */
import * as z from "zod/mini";
import { withRenamings } from "../../lib/app/accounts/rename.ts";
import { loadAliases } from "../../lib/app/lookups.ts";
import { logEntryView } from "../../lib/app/shown.ts";
import { hidesOriginalsFrom } from "../../lib/domain/players/visibility.ts";
import { ACTIONS, isOfChange } from "../../lib/http/auditLog.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { LogEntryView } from "../../lib/http/views.ts";
import { type LogEntry, parseLogEntry } from "../../lib/store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../lib/store/lists.ts";

export const handler = endpoint({
  route: "GET /admin/get_logs/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({
      ...pagingFields(),
      action: z.optional(z.enum(ACTIONS)),
      changes: z.optional(z.literal("true")),
      outcome: z.optional(z.enum(["done", "refused"])),
    }),
  },
  response: { schema: z.object({ logs: z.array(LogEntryView), next_cursor: z.nullable(z.string()) }) },
  run: async (call) => {
    const { query, services } = call;
    const { limit, cursor, ...filters } = query;
    const { action, changes, outcome } = filters;
    const place = { list: "logs", filters };
    const isFiltered = Object.keys(filters).length > 0;
    const isWanted = (entry: LogEntry): boolean =>
      (action === undefined || entry.action === action) &&
      (changes === undefined || isOfChange(entry)) &&
      (outcome === undefined || (entry.outcome === "done") === (outcome === "done"));
    const newest = services.store.logEntries(
      call.game,
      expectedEntries(limit, isFiltered),
      await readCursor(services, place, cursor),
    );
    const page = await readPage(
      newest,
      limit,
      (item) => {
        const entry = parseLogEntry(item);
        return isWanted(entry) ? entry : null;
      },
      isFiltered ? MAX_LOOKED_THROUGH : undefined,
    );
    const named = page.items.flatMap(({ actor, target }) => [actor, target]).filter((id) => id !== null);
    const [names, entries] = await Promise.all([
      loadAliases(services.store, named),
      withRenamings(services.store.db, page.items),
    ]);
    const isHidden = hidesOriginalsFrom(call.player, call.game, call.now);
    return call.respond({
      logs: entries.map((entry) => logEntryView(entry, names, isHidden)),
      next_cursor: await makeCursor(services, place, page.next),
    });
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
