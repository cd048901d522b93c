/** Makes a batch of codes. */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Batch } from "../../domain/rewards/redeem.ts";
import type { Effect, Side } from "../../domain/rewards/reward.ts";
import { makeRewardCode } from "../../domain/rewards/rewardCode.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { commitBefore, MAX_WRITES } from "../../store/commit.ts";
import type { Decision } from "../../store/decide.ts";
import {
  batchWrite,
  codeWrites,
  newBatchWrites,
  readBatches,
  readSheet,
  requireHash,
} from "../../store/rewards/codes.ts";

/** The most batches of a season. */
const MAX_BATCHES = 200;

/** What game masters say of new codes. Times are RFC 3339. */
export interface NewBatch {
  label: string;
  n: number;
  effect: Effect;
  audience: Side;
  uses: number;
  uses_per_player: number;
  valid_from?: string | undefined;
  valid_until?: string | undefined;
  place?: string | undefined;
}

/** A new batch with its codes, in the order of the sheet. */
export interface MadeBatch {
  batch: Batch;
  codes: readonly string[];
}

const inUtc = (time: string | undefined): string | null =>
  time === undefined ? null : rfc3339(instantOf(time));

const makeCodes = (n: number): string[] => {
  const codes = new Set<string>();
  while (codes.size < n) codes.add(makeRewardCode(() => randomInt(256)));
  return [...codes];
};

/** What a batch is made of, but for its id and when it was made. */
const contentOf = ({
  label,
  n,
  effect,
  audience,
  uses,
  uses_per_player,
  ...rest
}: Omit<Batch, "batch_id">) => {
  const { valid_from, valid_until, place, seen_by } = rest;
  return { label, n, effect, audience, uses, uses_per_player, valid_from, valid_until, place, seen_by };
};

/**
 * Makes a batch. Its codes are stored first, in transactions of their own; none can be redeemed before the last transaction,
 * which also stores the response. If that is interrupted, the same request by the same game master goes on with the batch.
 * @throws DomainError `invalid_request` if the end is not after the start; `wrong_state` with too many batches
 */
export const createCodes = async (
  { audit, context, game, now, player, services: { store }, timeLeft }: PlayerCall,
  wanted: NewBatch,
): Promise<Decision<MadeBatch>> => {
  const { label, n, effect, audience, uses, uses_per_player } = wanted;
  const [valid_from, valid_until] = [inUtc(wanted.valid_from), inUtc(wanted.valid_until)];
  if (valid_from !== null && valid_until !== null && valid_until <= valid_from)
    throw invalidRequest({ path: "valid_until", message: "must be after the start" });
  const batches = await readBatches(store.db);
  if (batches.length >= MAX_BATCHES)
    throw new DomainError("wrong_state", `A season has at most ${MAX_BATCHES} batches of codes.`);
  const fresh: Batch = {
    ...{ batch_id: context.newId(), rev: 1, label, n, effect, audience, uses, uses_per_player },
    ...{ valid_from, valid_until, place: wanted.place ?? null },
    ...{ created_at: rfc3339(now), seen_by: [player.player_id], revoked: [] },
  };
  const isSame = (one: Batch): boolean => isDeepStrictEqual(contentOf(one), contentOf(fresh));
  const interrupted = batches.find((one) => one.made_at === undefined && isSame(one));
  const batch = interrupted ?? fresh;
  const codes = interrupted === undefined ? makeCodes(n) : await readSheet(store.db, batch.batch_id);
  const { batch_id } = batch;
  audit.details = { batch_id, label, n, effect, audience };
  const hash = await requireHash(store.db);
  const isFresh = interrupted === undefined;
  if (isFresh) await commitBefore(store, newBatchWrites(batch, codes), timeLeft);
  const writes = await codeWrites(store.db, batch, codes.map(hash), !isFresh);
  for (const some of chunk(writes, MAX_WRITES)) await commitBefore(store, some, timeLeft);
  return {
    changes: { basedOn: game, writes: [batchWrite(batch, { made_at: rfc3339(now) })] },
    result: { batch, codes },
  };
};
