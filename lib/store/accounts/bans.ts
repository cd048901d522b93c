/** Bans from registration and login. One item holds all of them; they outlast accounts and seasons. */
import * as z from "zod/mini";
import { boolean, nullableText, text, textList } from "../../domain/schemas.ts";
import { instantOf } from "../../domain/time.ts";
import type { Database, ReadOptions, Write } from "../../dynamodb/database.ts";
import { keys } from "../keys.ts";
import { emailHash } from "./emails.ts";

/** The maximum number of bytes of all bans: they are one item, which every registration reads. */
const MAX_BYTES = 36_000;

/** The part of the hash of an address that a ban stores: 132 bits. Earlier versions stored all of it. */
export const shortHash = (hash: string): string => hash.slice(0, 22);

const ShortHash = z.pipe(text, z.transform(shortHash));

/** The hash by which bans know an address. */
export const banHash = (email: string): string => shortHash(emailHash(email));

const Ban = z.looseObject({
  ban_id: text,
  /** The banned alias: the last one of a banned account. `null` for a ban of an e-mail address alone. */
  alias: nullableText,
  /** The aliases that the banned account had given up in the season. */
  former_aliases: z._default(textList, []),
  /** The hash of the banned e-mail address, or of that of the banned account. */
  email_hash: z.nullable(ShortHash),
  /** The hashes of the addresses that the banned account had given up in the season. */
  former_addresses: z._default(z.array(ShortHash), []),
  /** Those of all these hashes that the account had confirmed, or that belong to an address that was banned itself. */
  confirmed_addresses: z._default(textList, []),
  /** The account that was banned. */
  player_id: nullableText,
  /** The players who had the banned alias or address in the season and had left, or were banned before. */
  former_ids: z._default(textList, []),
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

/** Fails if the bans have changed since they were read. */
export const bansCheck = ({ rev }: Bans): Write => ({
  check: keys.bans,
  expect: rev === 0 ? "absent" : { rev },
});

/** Whether a ban has not ended. @param until RFC 3339; `null` for a ban without an end */
export const isBanActive = (until: string | null, now: number): boolean =>
  until === null || now < instantOf(until);

/** Whether all these bans can be stored. */
export const isRoomFor = (bans: readonly Ban[]): boolean =>
  Buffer.byteLength(JSON.stringify(bans)) <= MAX_BYTES;

/** A ban that concerns somebody. */
export interface BanMatch {
  ban: Ban;
  by: "alias" | "address";
  /** Whether it is by the banned alias itself, not by an address or a former alias, which anybody could give. */
  isCertain: boolean;
  /** Whether it is by an address that was confirmed, or banned itself. */
  isConfirmed: boolean;
}

/** The hashes of the addresses of a ban that were confirmed, or banned themselves. */
export const confirmedAddresses = ({ confirmed_addresses, of_email, email_hash }: Ban): string[] => [
  ...confirmed_addresses,
  ...(of_email && email_hash !== null ? [email_hash] : []),
];

/**
 * The active ban of a player, or of an address that they have just proved to be theirs.
 * @param of.former the other players who had confirmed it and have left
 */
export const banOf = (
  { bans }: Bans,
  { player_id, email, former }: { player_id: string; email: string; former: readonly string[] },
  now: number,
): Ban | undefined =>
  bans.find(
    (ban) =>
      isBanActive(ban.until, now) &&
      (ban.player_id === player_id ||
        confirmedAddresses(ban).includes(banHash(email)) ||
        former.some((id) => id === ban.player_id || ban.former_ids.includes(id))),
  );

/**
 * The active bans of an alias, of aliases that look like it, and of an e-mail address.
 * @param of.former the players who have left in the season and had these, by id
 * @param of.confirmed those of them who had confirmed the address
 */
export const matchingBans = async (
  { bans }: Bans,
  {
    alias,
    email,
    former,
    confirmed,
  }: {
    alias?: string | undefined;
    email?: string | null | undefined;
    former: ReadonlyMap<string, BanMatch["by"]>;
    confirmed: ReadonlySet<string>;
  },
  now: number,
): Promise<BanMatch[]> => {
  const active = bans.filter(({ until }) => isBanActive(until, now));
  if (active.length === 0) return [];
  // Imported on demand: the table of look-alikes is large.
  const { looksLike } = await import("./aliasGuards.ts");
  const hash = email == null ? null : banHash(email);
  const isAlias = (names: readonly string[]): boolean => alias !== undefined && looksLike(alias, names);
  const isOfAddress = ({ email_hash, former_addresses }: Ban): boolean =>
    hash !== null && [email_hash, ...former_addresses].includes(hash);
  return active.flatMap((ban): BanMatch[] => {
    const isCertain = ban.alias !== null && isAlias([ban.alias]);
    const ids = [ban.player_id ?? "", ...ban.former_ids];
    const ways = ids.map((id) => former.get(id));
    const isByAlias = isCertain || ways.includes("alias") || isAlias(ban.former_aliases);
    const isByAddress = ways.includes("address") || isOfAddress(ban);
    const isConfirmed =
      (hash !== null && confirmedAddresses(ban).includes(hash)) || ids.some((id) => confirmed.has(id));
    return [
      ...(isByAlias ? [{ ban, by: "alias" as const, isCertain, isConfirmed: false }] : []),
      ...(isByAddress ? [{ ban, by: "address" as const, isCertain: false, isConfirmed }] : []),
    ];
  });
};
