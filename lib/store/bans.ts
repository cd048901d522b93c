/** Bans from registration and login. One item holds all of them; they outlast accounts and seasons. */
import * as z from "zod/mini";
import { boolean, nullableText, text } from "../domain/schemas.ts";
import { instantOf } from "../domain/time.ts";
import type { Database, ReadOptions, Write } from "../dynamodb/database.ts";
import { emailHash } from "./emails.ts";
import { keys } from "./keys.ts";

/** The maximum number of bans that fit into one item. */
export const MAX_BANS = 200;

const Ban = z.looseObject({
  ban_id: text,
  /** The banned alias; `null` for a ban of an e-mail address alone. */
  alias: nullableText,
  /** The hash of the banned e-mail address, or of that of the banned account. */
  email_hash: nullableText,
  /** The account that was banned. */
  player_id: nullableText,
  /** When the ban ends, RFC 3339; `null` for a ban without an end. */
  until: nullableText,
  reason: nullableText,
  created_at: text,
  of_email: boolean,
});
export type Ban = z.infer<typeof Ban>;

const Bans = z.lazy(() => z.looseObject({ rev: z.int(), bans: z.array(Ban) }));
export type Bans = z.infer<typeof Bans>;

/** All bans, newest first. */
export const readBans = async (db: Database, options?: ReadOptions): Promise<Bans> => {
  const item = await db.get(keys.bans, options);
  return item === undefined ? { rev: 0, bans: [] } : Bans.parse(item);
};

/** The write that replaces the bans, on condition that they have not changed since they were read. */
export const bansWrite = (read: Bans, bans: readonly Ban[]): Write => ({
  put: { ...read, ...keys.bans, rev: read.rev + 1, bans },
  expect: read.rev === 0 ? "absent" : { rev: read.rev },
});

/** Whether a ban has not ended. @param until RFC 3339; `null` for a ban without an end */
export const isBanActive = (until: string | null, now: number): boolean =>
  until === null || now < instantOf(until);

/** The active ban of an alias, of an alias that looks like it, or of an e-mail address. */
export const findBan = async (
  { bans }: Bans,
  { alias, email }: { alias: string; email?: string | null | undefined },
  now: number,
): Promise<Ban | undefined> => {
  const active = bans.filter(({ until }) => isBanActive(until, now));
  if (active.length === 0) return undefined;
  // Imported on demand: the table of look-alikes is large.
  const { looksLike } = await import("./aliasGuards.ts");
  const hash = email == null ? null : emailHash(email);
  return active.find(
    (ban) =>
      (hash !== null && ban.email_hash === hash) || (ban.alias !== null && looksLike(alias, [ban.alias])),
  );
};
