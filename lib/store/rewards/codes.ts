/**
 * Codes of rewards. A code is found by its keyed hash; the sheet of its batch has it in readable form. All of this is under
 * {@link SECRET}, and goes with the season (decision 121).
 */
import { createHmac, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { Batch, Redemption, StoredCode } from "../../domain/rewards/redeem.ts";
import { text, textList } from "../../domain/schemas.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { parseIfFound, withoutKeys } from "../items.ts";
import { CODES, keys } from "../keys.ts";
import { type List, readAll } from "../lists.ts";

/** Hashes codes with the key of the table. */
export type HashCode = (code: string) => string;

const HashKey = z.object({ key: text });

const hashWith =
  (item: StoredItem): HashCode =>
  (code) =>
    createHmac("sha256", HashKey.parse(item).key).update(code).digest("base64url");

/** The hash of a code; of a code in a game that never had any, a hash that no code has. */
export const hashOfCode = async (db: Database, code: string): Promise<string> =>
  parseIfFound(await db.get(keys.codeHashes), hashWith)?.(code) ?? "none";

/** The hashes of codes; their key is made with the first batch. */
export const requireHash = async (db: Database): Promise<HashCode> => {
  const stored = await db.get(keys.codeHashes);
  if (stored !== undefined) return hashWith(stored);
  const item = { ...keys.codeHashes, key: randomBytes(32).toString("base64url") };
  try {
    await db.put(item, "absent");
    return hashWith(item);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return requireHash(db);
  }
};

export const parseBatch = (item: StoredItem): Batch => Batch.parse(withoutKeys(item));
export const parseCode = (item: StoredItem): StoredCode => StoredCode.parse(withoutKeys(item));
export const parseRedemption = (item: StoredItem): Redemption => Redemption.parse(withoutKeys(item));

const BATCHES: List = {
  partition: () => CODES,
  shards: 1,
  descending: true,
  consistent: true,
  after: keys.codeBatch("").sk,
  before: keys.codeBatch("~").sk,
};

/** All batches, newest first; also those whose making was interrupted. */
export const readBatches = async (db: Database): Promise<Batch[]> =>
  (await readAll(db, BATCHES, 100)).map(parseBatch);

/** The writes of a batch's codes; of a batch whose making was interrupted, those of the codes that are not stored. */
export const codeWrites = async (
  db: Database,
  { batch_id }: Batch,
  hashes: readonly string[],
  wasInterrupted: boolean,
): Promise<Write[]> => {
  const items = wasInterrupted ? await db.getMany(hashes.map(keys.rewardCode)) : [];
  const stored = new Set(items.map(({ pk }) => pk));
  return hashes.flatMap((hash, at): Write[] => {
    const put = { ...keys.rewardCode(hash), batch_id, number: at + 1, used: 0 };
    return stored.has(put.pk) ? [] : [{ put, expect: "absent" }];
  });
};

/** A batch; `null` if there is none with this id. */
export const readBatch = async (db: Database, id: string): Promise<Batch | null> =>
  parseIfFound(await db.get(keys.codeBatch(id)), parseBatch);

/** The code with a hash; `null` if there is none. */
export const readCodeItem = async (db: Database, hash: string): Promise<StoredCode | null> =>
  parseIfFound(await db.get(keys.rewardCode(hash)), parseCode);

const redemptionsOf = (batch: string, of: string): List => ({
  partition: () => keys.codeSheet(batch).pk,
  shards: 1,
  consistent: true,
  after: of,
  before: `${of}~`,
});

/** All redemptions of a batch that a player has made, in order. */
export const readOwnRedemptions = async (
  db: Database,
  batch: string,
  playerId: string,
): Promise<Redemption[]> => {
  const list = redemptionsOf(batch, `BY#${playerId}#`);
  return (await readAll(db, list, 20)).map(parseRedemption);
};

/** All redemptions of a batch, the latest first. */
export const readRedemptions = async (db: Database, batch: string): Promise<Redemption[]> =>
  (await readAll(db, redemptionsOf(batch, "BY#"), 1_000))
    .map(parseRedemption)
    .toSorted((one, other) => (one.interaction_id < other.interaction_id ? 1 : -1));

/** The codes of a batch in readable form, in their order. */
export const readSheet = async (db: Database, batch: string): Promise<string[]> =>
  parseIfFound(await db.get(keys.codeSheet(batch)), (item) => z.object({ codes: textList }).parse(item))
    ?.codes ?? [];

/** The writes of a batch with its sheet, before its codes. It cannot be used before it is marked as made. */
export const newBatchWrites = (batch: Batch, codes: readonly string[]): Write[] => [
  { put: { ...batch, ...keys.codeBatch(batch.batch_id) }, expect: "absent", hasNewKey: true },
  { put: { ...keys.codeSheet(batch.batch_id), codes }, expect: "absent" },
];

/** The write of a changed batch, on condition that nobody has changed it since it was read. */
export const batchWrite = (before: Batch, changed: Partial<Batch>): Write => ({
  put: { ...before, ...changed, rev: before.rev + 1, ...keys.codeBatch(before.batch_id) },
  expect: { rev: before.rev },
});

/** The write after which a code cannot be redeemed any more. Uses that are left are not counted down. */
export const revokeWrite = (hash: string, { batch_id }: Batch, at: string): Write => ({
  set: keys.rewardCode(hash),
  to: { revoked_at: at },
  // A repeated request writes the same.
  by: { used: 0 },
  expect: { is: { batch_id } },
});

/**
 * The writes of a redemption, on condition that a use of the code is left, and that the player has not redeemed another code
 * of the batch meanwhile.
 * @param earlier how many redemptions of the batch the player has made, undone ones too
 */
export const redemptionWrites = (
  hash: string,
  { batch_id, uses }: Batch,
  redemption: Redemption,
  earlier: number,
): Write[] => [
  {
    increase: keys.rewardCode(hash),
    by: { used: 1 },
    expect: { is: { batch_id, revoked_at: undefined }, atMost: { used: uses - 1 } },
  },
  {
    put: { ...redemption, ...keys.redemption(batch_id, redemption.player_id, earlier) },
    expect: "absent",
  },
];

/** The writes that undo a redemption: its use can be made again. @param place the place among the player's redemptions */
export const undoneWrites = (
  hash: string,
  { batch_id }: Batch,
  { player_id, interaction_id }: Redemption,
  place: number,
  at: string,
): Write[] => [
  { increase: keys.rewardCode(hash), by: { used: -1 }, expect: { is: { batch_id } } },
  {
    set: keys.redemption(batch_id, player_id, place),
    to: { undone_at: at },
    by: { rev: 1 },
    expect: { is: { interaction_id, undone_at: undefined } },
  },
];
