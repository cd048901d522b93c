/** GET /admin/get_logs/{url_id}: lists the audit log, newest first. */
import * as z from "zod/mini";
import { withRenamings } from "../../lib/app/accounts/rename.ts";
import { loadAliases } from "../../lib/app/lookups.ts";
import { hidesOriginalsFrom } from "../../lib/domain/visibility.ts";
import { ACTIONS } from "../../lib/http/auditLog.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { LogEntryView, logEntryView } from "../../lib/http/views.ts";
import { parseLogEntry } from "../../lib/store/items.ts";
import { expectedEntries, readPage } from "../../lib/store/lists.ts";

export const handler = endpoint({
  route: "GET /admin/get_logs/{url_id}",
  access: "administrator",
  request: { query: z.strictObject({ ...pagingFields(), action: z.optional(z.enum(ACTIONS)) }) },
  response: { schema: z.object({ logs: z.array(LogEntryView), next_cursor: z.nullable(z.string()) }) },
  run: async (call) => {
    const { query, services } = call;
    const place = { list: "logs", filters: { action: query.action } };
    const newest = services.store.logEntries(
      call.game,
      expectedEntries(query.limit, query.action !== undefined),
      await readCursor(services, place, query.cursor),
    );
    const page = await readPage(newest, query.limit, (item) => {
      const entry = parseLogEntry(item);
      return query.action === undefined || entry.action === query.action ? entry : null;
    });
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
    "All calls of game masters and moderators, logins, password changes, account deletions and background work, newest first. Rejected calls are included, except logins and password changes without a known account. While originals are hidden, game masters who play see no targets and details.",
  fields: {
    logs: "A page of the log.",
    action: "The action: the last word of the endpoint's path, or the name of background work.",
  },
  example: { query: { limit: 2, action: "set_checkpoint" } },
};
