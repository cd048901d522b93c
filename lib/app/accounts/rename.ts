/**
 * The record of renamings. Aliases are personal data, so the entry of the audit log says only that the alias has changed;
 * both aliases are a note of the player, which is removed with the account.
 */
import * as z from "zod/mini";
import type { Player } from "../../domain/player.ts";
import { text } from "../../domain/schemas.ts";
import type { Database, Write } from "../../dynamodb/database.ts";
import type { LogEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";

const Renaming = z.object({ sk: text, alias_before: text, alias_after: text });

/** The write that records a renaming; none if the alias is the same. @param requestId also in the log entry */
export const renamingWrites = (before: Player, after: Player, requestId: string): Write[] =>
  before.alias === after.alias
    ? []
    : [
        {
          put: {
            ...keys.note(before.player_id, requestId),
            alias_before: before.alias,
            alias_after: after.alias,
          },
        },
      ];

const keyOf = ({ target, request_id, details }: LogEntry) =>
  details.alias_changed === true && target !== null ? keys.note(target, request_id) : null;

/** Adds both aliases to the log entries of renamings, while the accounts exist. */
export const withRenamings = async (db: Database, entries: readonly LogEntry[]): Promise<LogEntry[]> => {
  const wanted = entries.map(keyOf).filter((key) => key !== null);
  if (wanted.length === 0) return [...entries];
  const found = await db.getMany(wanted, { consistent: false });
  const bySk = new Map(found.map((item) => [item.sk, item]));
  return entries.map((entry) => {
    const { data } = Renaming.safeParse(bySk.get(keyOf(entry)?.sk ?? ""));
    if (data === undefined) return entry;
    const { alias_before, alias_after } = data;
    return { ...entry, details: { ...entry.details, alias_before, alias_after } };
  });
};
