/** Makes a batch of codes. */
import { randomInt } from "node:crypto";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Batch } from "../../domain/rewards/redeem.ts";
import type { Effect, Side } from "../../domain/rewards/reward.ts";
import { makeRewardCode } from "../../domain/rewards/rewardCode.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import type { Decision } from "../../store/decide.ts";
import {
  batchWrite,
  newBatchWrites,
  newCodeWrite,
  readBatches,
  requireHash,
} from "../../store/rewards/codes.ts";

/** The most batches of a season. */
const MAX_BATCHES = 200;
/** DynamoDB's limit for a transaction. */
const MAX_WRITES = 100;

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

/**
 * Makes a batch. Its codes are stored first, in transactions of their own; none can be redeemed before the last transaction,
 * which also stores the response. A batch whose making was interrupted is never used.
 * @throws DomainError `invalid_request` if the end is not after the begin; `wrong_state` with too many batches
 */
export const createCodes = async (
  { audit, context, game, now, player, services: { store }, timeLeft }: PlayerCall,
  wanted: NewBatch,
): Promise<Decision<MadeBatch>> => {
  const { label, n, effect, audience, uses, uses_per_player } = wanted;
  const [valid_from, valid_until] = [inUtc(wanted.valid_from), inUtc(wanted.valid_until)];
  if (valid_from !== null && valid_until !== null && valid_until <= valid_from)
    throw invalidRequest({ path: "valid_until", message: "must be after the start" });
  if ((await readBatches(store.db)).length >= MAX_BATCHES)
    throw new DomainError("wrong_state", `A season has at most ${MAX_BATCHES} batches of codes.`);
  const codes = makeCodes(n);
  const batch: Batch = {
    ...{ batch_id: context.newId(), rev: 1, label, n, effect, audience, uses, uses_per_player },
    ...{ valid_from, valid_until, place: wanted.place ?? null },
    ...{ created_at: rfc3339(now), seen_by: [player.player_id], revoked: [] },
  };
  const { batch_id } = batch;
  audit.details = { batch_id, label, n, effect, audience };
  const hash = await requireHash(store.db);
  await store.commit(newBatchWrites(batch, codes), timeLeft);
  const writes = codes.map((code, at) => newCodeWrite(hash(code), batch_id, at + 1));
  for (const some of chunk(writes, MAX_WRITES)) await store.commit(some, timeLeft);
  return {
    changes: { basedOn: game, writes: [batchWrite(batch, { made_at: rfc3339(now) })] },
    result: { batch, codes },
  };
};
