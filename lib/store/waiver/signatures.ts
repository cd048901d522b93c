/** Signatures of the waiver. All of them are under {@link SECRET}, and what is most personal is encrypted besides. */
import * as z from "zod/mini";
import { text } from "../../domain/schemas.ts";
import { DAY, rfc3339, SECOND } from "../../domain/time.ts";
import { Signature } from "../../domain/waiver/signature.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { parseIfFound, withoutKeys } from "../items.ts";
import { KEPT_SIGNATURES, keys, SIGNATURES, UNDER_AGE } from "../keys.ts";
import { type Entry, entries, readAll } from "../lists.ts";

export const parseSignature = (item: StoredItem): Signature => Signature.parse(withoutKeys(item));

/** The latest signature of a player; `null` if there is none. */
export const readSignature = async (db: Database, playerId: string): Promise<Signature | null> =>
  parseIfFound(await db.get(keys.signature(playerId)), parseSignature);

/** The latest signatures of these players, by player id. */
export const readSignatures = async (
  db: Database,
  playerIds: readonly string[],
): Promise<Map<string, Signature>> => {
  if (playerIds.length === 0) return new Map();
  const items = await db.getMany(playerIds.map(keys.signature));
  return new Map(items.map(parseSignature).map((one) => [one.player_id ?? "", one]));
};

/** Whether a signature has the answer about photos with which it was signed. */
const isAsSigned = ({ signed_at, photo_consent_at }: Signature): boolean =>
  photo_consent_at === null || photo_consent_at <= signed_at;

/**
 * The writes of a player's latest signature, on condition that there is no other than the one that was read. What was signed
 * stays, however often the answer about photos changes.
 */
export const signatureWrites = (playerId: string, before: Signature | null, after: Signature): Write[] => [
  {
    put: { ...after, rev: (before?.rev ?? 0) + 1, ...keys.signature(playerId) },
    expect: before === null ? "absent" : { rev: before.rev },
  },
  ...(before === null || !isAsSigned(before)
    ? []
    : [{ put: { ...before, ...keys.earlierSignature(playerId, before.signature_id) } }]),
];

/** The earlier signatures of a player. */
export const ofPlayer = (playerId: string) => ({
  partition: () => SIGNATURES,
  shards: 1,
  consistent: true,
  after: keys.earlierSignature(playerId, "").sk,
  before: keys.earlierSignature(playerId, "~").sk,
});

/**
 * The writes for a deleted account: the signatures are kept for some days without the player's id and without what was
 * encrypted, or removed.
 */
export const departingSignatureWrites = async (
  db: Database,
  playerId: string,
  keepDays: number,
  now: number,
): Promise<Write[]> => {
  const latest = await readSignature(db, playerId);
  if (latest === null) return [];
  const earlier = await readAll(db, ofPlayer(playerId), 10);
  const signatures = [latest, ...earlier.map(parseSignature)];
  const until = now + keepDays * DAY;
  const kept = ({ player_id: _, sealed: _1, ...signature }: Signature): Write => ({
    put: {
      ...signature,
      sealed: "",
      deleted_at: rfc3339(now),
      kept_until: rfc3339(until),
      expires: Math.ceil(until / SECOND),
      // With its revision, because the signature before another answer about photos has the same id.
      ...keys.keptSignature(signature.signature_id, signature.rev),
    },
  });
  return [
    { remove: keys.signature(playerId), expect: { rev: latest.rev } },
    ...earlier.map(({ pk, sk }): Write => ({ remove: { pk, sk } })),
    { remove: keys.underAge(playerId) },
    ...(keepDays === 0 ? [] : signatures.map(kept)),
  ];
};

/** The writes that move the signatures of an account to another player id. */
export const movedSignatureWrites = async (db: Database, from: string, to: string): Promise<Write[]> => {
  const latest = await readSignature(db, from);
  if (latest === null) return [];
  const earlier = await readAll(db, ofPlayer(from), 10);
  return [
    { put: { ...latest, player_id: to, ...keys.signature(to) }, expect: "absent" },
    { remove: keys.signature(from), expect: { rev: latest.rev } },
    ...earlier.flatMap((item): Write[] => {
      const signature = parseSignature(item);
      const at = keys.earlierSignature(to, signature.signature_id);
      return [{ put: { ...signature, player_id: to, ...at } }, { remove: { pk: item.pk, sk: item.sk } }];
    }),
    // Who waits to be of age waits under the former id for nothing.
    { remove: keys.underAge(from) },
  ];
};

/** All kept signatures of deleted accounts. @param now in milliseconds since 1970 */
export const readKeptSignatures = async (db: Database, now: number): Promise<Signature[]> =>
  (await readAll(db, { partition: () => KEPT_SIGNATURES, shards: 1, consistent: true }, 100))
    .map(parseSignature)
    .filter(({ kept_until }) => kept_until === undefined || kept_until > rfc3339(now));

/** The latest signatures, by player id. @param after a position */
export const signatureEntries = (
  db: Database,
  expected: number,
  after: string | undefined,
): AsyncGenerator<Entry> =>
  entries(db, { partition: () => SIGNATURES, shards: 1, after, consistent: true }, expected);

/** Whether an item of the list is a player's latest signature. */
export const isLatest = ({ sk }: StoredItem): boolean => sk.split("#").length === 2;

/** Notes that a player waits until they are of age. @param sealed the encrypted birth date */
export const underAgeWrite = (playerId: string, sealed: string): Write => ({
  put: { ...keys.underAge(playerId), player_id: playerId, sealed },
});

export const ofAgeWrite = (playerId: string): Write => ({ remove: keys.underAge(playerId) });

const UnderAge = z.object({ player_id: text, sealed: text });

/** Who waits because they are under age, with the encrypted birth date. */
export const readUnderAge = async (db: Database): Promise<z.infer<typeof UnderAge>[]> =>
  (await readAll(db, { partition: () => UNDER_AGE, shards: 1, consistent: false }, 100)).map((item) =>
    UnderAge.parse(item),
  );
