/**
 * Records changes of aliases, names and e-mail addresses. They are personal data, so the audit log entry names only the
 * fields that have changed. The old and new values are stored with the player and removed with the account.
 */
import * as z from "zod/mini";
import type { Player } from "../../domain/players/player.ts";
import { nullableText, text } from "../../domain/schemas.ts";
import type { Database, Item, Write } from "../../dynamodb/database.ts";
import type { LogEntry } from "../items.ts";
import { keys } from "../keys.ts";

const FIELDS = ["alias", "first_name", "last_name", "email"] as const;

const changedFields = (before: Player, after: Player) =>
  FIELDS.filter((name) => before[name] !== after[name]);

const noted = z.optional(nullableText);
const Note = z.object({
  sk: text,
  ...Object.fromEntries(
    FIELDS.flatMap((name) => [`${name}_before`, `${name}_after`]).map((name) => [name, noted]),
  ),
});

/** The details for the audit log: the fields that have changed. */
export const renamingDetails = (
  before: Player,
  after: Player,
): { alias_changed: boolean; changed?: string[] } => {
  const others = changedFields(before, after).filter((name) => name !== "alias");
  return {
    alias_changed: before.alias !== after.alias,
    ...(others.length === 0 ? {} : { changed: others }),
  };
};

/**
 * The write that stores the old and new values; none if nothing has changed.
 * @param requestId links it to the log entry
 */
export const renamingWrites = (before: Player, after: Player, requestId: string): Write[] => {
  const fields = changedFields(before, after);
  if (fields.length === 0) return [];
  const values: Item = Object.fromEntries(
    fields.flatMap((name) => [
      [`${name}_before`, before[name]],
      [`${name}_after`, after[name]],
    ]),
  );
  return [{ put: { ...keys.note(before.player_id, requestId), ...values } }];
};

const keyOf = ({ target, request_id, details }: LogEntry) =>
  (details.alias_changed === true || details.changed !== undefined) && target !== null
    ? keys.note(target, request_id)
    : null;

/** Adds the old and new values to the log entries of their changes, if the accounts still exist. */
export const withRenamings = async (db: Database, entries: readonly LogEntry[]): Promise<LogEntry[]> => {
  const wanted = entries.map(keyOf).filter((key) => key !== null);
  if (wanted.length === 0) return [...entries];
  const found = await db.getMany(wanted, { consistent: false });
  const bySk = new Map(found.map((item) => [item.sk, item]));
  return entries.map((entry) => {
    const { data } = Note.safeParse(bySk.get(keyOf(entry)?.sk ?? ""));
    if (data === undefined) return entry;
    const { sk: _, ...values } = data;
    return { ...entry, details: { ...entry.details, ...values } };
  });
};
