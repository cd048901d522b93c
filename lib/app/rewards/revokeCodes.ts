/** Revokes codes that are not used up. */
import { DomainError } from "../../domain/domainError.ts";
import type { Batch } from "../../domain/rewards/redeem.ts";
import { readCode } from "../../domain/rewards/rewardCode.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { commitBefore } from "../../store/commit.ts";
import type { Decision } from "../../store/decide.ts";
import { batchWrite, readSheet, requireHash, revokeWrite } from "../../store/rewards/codes.ts";
import { batchInfo, requireBatch } from "./listCodes.ts";

/** Few codes in one transaction, because players may redeem some of them at the same time. */
const CODES_PER_TRANSACTION = 25;

/** The numbers of the codes to revoke: the given one, or all that are not revoked yet. @throws DomainError `not_found` */
const numbersOf = ({ n, revoked }: Batch, codes: readonly string[], code: string | undefined): number[] => {
  if (code === undefined)
    return Array.from({ length: n }, (_, at) => at + 1).filter((number) => !revoked.includes(number));
  const number = codes.indexOf(readCode(code)?.code ?? "") + 1;
  if (number === 0) throw new DomainError("not_found", "There is no such code in this batch.");
  return revoked.includes(number) ? [] : [number];
};

/**
 * Revokes a code or all codes of a batch. What was redeemed stays. The codes are revoked first, in transactions of their own,
 * so that none can be redeemed once the response is sent; if that is interrupted, the same request goes on.
 * @throws DomainError `not_found`
 */
export const revokeCodes = async (
  { audit, game, now, services: { store }, timeLeft }: PlayerCall,
  { batch_id, code }: { batch_id: string; code?: string | undefined },
): Promise<Decision<{ batch: ReturnType<typeof batchInfo>; revoked: number }>> => {
  const batch = await requireBatch(store, batch_id);
  const codes = await readSheet(store.db, batch_id);
  const numbers = numbersOf(batch, codes, code);
  audit.details = { batch_id, label: batch.label, revoked: numbers.length };
  const hash = await requireHash(store.db);
  const writes = numbers.map((number) => revokeWrite(hash(codes[number - 1] ?? ""), batch, rfc3339(now)));
  for (const some of chunk(writes, CODES_PER_TRANSACTION)) await commitBefore(store, some, timeLeft);
  const changed = { ...batch, revoked: [...batch.revoked, ...numbers] };
  return {
    changes: { basedOn: game, writes: numbers.length === 0 ? [] : [batchWrite(batch, changed)] },
    result: { batch: batchInfo(changed), revoked: numbers.length },
  };
};
