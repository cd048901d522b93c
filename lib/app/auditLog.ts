/** The audit log, newest first. */
import { hidesOriginalsFrom } from "../domain/players/visibility.ts";
import type { ReadCall } from "../lambda/call.ts";
import { withRenamings } from "../store/accounts/renamings.ts";
import { type LogEntry, parseLogEntry } from "../store/items.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../store/lists.ts";
import { loadAliases } from "./lookups.ts";
import { logEntryView } from "./shown.ts";

/**
 * A page of the audit log before a position.
 * @param isWanted the filter; `null` for all entries. A filtered page looks through at most {@link MAX_LOOKED_THROUGH}
 */
export const listLogEntries = async (
  { game, now, player, services: { store } }: ReadCall,
  limit: number,
  isWanted: ((entry: LogEntry) => boolean) | null,
  before: string | undefined,
) => {
  const { items, next } = await readPage(
    store.logEntries(game, expectedEntries(limit, isWanted !== null), before),
    limit,
    (item) => {
      const entry = parseLogEntry(item);
      return isWanted === null || isWanted(entry) ? entry : null;
    },
    isWanted === null ? undefined : MAX_LOOKED_THROUGH,
  );
  const named = items.flatMap(({ actor, target }) => [actor, target]).filter((id) => id !== null);
  const [names, entries] = await Promise.all([loadAliases(store, named), withRenamings(store.db, items)]);
  const isHidden = hidesOriginalsFrom(player, game, now);
  return { logs: entries.map((entry) => logEntryView(entry, names, isHidden)), next };
};
