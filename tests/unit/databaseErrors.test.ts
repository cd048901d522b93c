/** DynamoDB's errors: failed conditions, temporary failures, and everything else. */
import { expect, it } from "vitest";
import { ConditionFailed, DatabaseBusy, toDatabaseError } from "../../lib/dynamodb/errors.ts";

const error = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: (string | undefined)[]): Error =>
  error("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
const status = (httpStatusCode: number): Error => error("Unknown", { $metadata: { httpStatusCode } });

it("reports a failed condition as such, alone or in a transaction, also together with other reasons", () => {
  for (const thrown of [
    error("ConditionalCheckFailedException"),
    cancelled("None", "ConditionalCheckFailed"),
    cancelled("TransactionConflict", "ConditionalCheckFailed", "None"),
    cancelled("ThrottlingError", "ConditionalCheckFailed"),
  ]) {
    expect(toDatabaseError(thrown)).toBeInstanceOf(ConditionFailed);
  }
});

const BUSY = [
  ...["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"],
  ...["TransactionConflictException", "TransactionInProgressException", "InternalServerError"],
  ...["ServiceUnavailable", "TimeoutError", "AbortError"],
].map((name) => error(name));
const BROKEN = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"].flatMap(
  (code) => [error(code, { code }), error(`a cause ${code}`, { cause: { code } })],
);

it.each([
  ...[...BUSY, ...BROKEN, status(500), status(503), cancelled("TransactionConflict", "None", undefined)],
  cancelled("ThrottlingError", "ProvisionedThroughputExceeded"),
])("reports %s as a busy database", (thrown) => {
  expect(toDatabaseError(thrown)).toBeInstanceOf(DatabaseBusy);
});

it("passes everything else through", () => {
  const broken = [cancelled("TransactionConflict", "ValidationError"), cancelled("None"), cancelled()];
  for (const thrown of [...broken, status(499), error("ValidationException"), "text", null, undefined, 5]) {
    expect(toDatabaseError(thrown)).toBe(thrown);
  }
});
