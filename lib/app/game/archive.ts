/** The archive of a game for the page: all items that an export has, but for those that hold secrets. */
import { DomainError } from "../../domain/domainError.ts";
import { maySeeSecrets } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import { StoredKey } from "../../dynamodb/key.ts";
import { lineOf } from "../../dynamodb/rawItem.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { exportFilter, FORMAT, holdsSecret, VERSION } from "../../store/archiveItems.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { requireNoReset } from "./resetSeason.ts";

/** The first line of an archive that has no secrets. */
export interface ArchiveHeader {
  format: string;
  version: number;
  at: string;
  table: string;
  partial: true;
}

/**
 * Reads a page of the archive. Unlike an export, it has no item whose key begins with `SECRET#`: no password hashes, push
 * subscriptions, bans, join codes or departed players.
 * @param page.limit the number of items to look at; DynamoDB reads at most a megabyte, far below the six of a response
 * @param page.after the position after the page before
 * @throws DomainError `wrong_state` for a game master who plays; `busy` during a reset or an import
 */
export const archivePage = async (
  { player, now, services: { store }, audit }: ReadCall,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ header: ArchiveHeader; lines: string[]; next: string | null }> => {
  if (!maySeeSecrets(player))
    throw new DomainError(
      "wrong_state",
      "You play, or have played, in this season: an archive has all tag codes and original zombies.",
    );
  await requireNoReset(store);
  const from = after === undefined ? undefined : StoredKey.parse(JSON.parse(after));
  const [{ enforcing }, { items, next }] = await mapBusyToUnavailable(
    Promise.all([store.game(), store.db.scan(limit, from)]),
  );
  const isExported = exportFilter({ withSessions: false, job: enforcing });
  const wanted = items.filter((item) => isExported(item) && !holdsSecret(item));
  audit.details = { items: wanted.length };
  return {
    header: { format: FORMAT, version: VERSION, at: rfc3339(now), table: "", partial: true },
    lines: wanted.map(lineOf),
    next: next === undefined ? null : JSON.stringify(next),
  };
};
