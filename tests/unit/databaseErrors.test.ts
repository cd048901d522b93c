/** DynamoDB's errors: failed conditions, temporary failures, and everything else. */
import { expect, it } from "vitest";
import { ConditionFailed, DatabaseBusy, toDatabaseError } from "../../lib/dynamodb/errors.ts";

const error = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: (string | undefined)[]): Error =>
  error("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
const status = (httpStatusCode: number): Error => error("Unknown", { $metadata: { httpStatusCode } });

it.each([
  ["alone", error("ConditionalCheckFailedException")],
  ["in a transaction", cancelled("None", "ConditionalCheckFailed")],
  ["together with a conflict", cancelled("TransactionConflict", "ConditionalCheckFailed", "None")],
  ["together with throttling", cancelled("ThrottlingError", "ConditionalCheckFailed")],
])("reports a failed condition %s as such", (_, thrown) => {
  expect(toDatabaseError(thrown)).toBeInstanceOf(ConditionFailed);
});

it.each([
  ...["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"],
  ...["TransactionConflictException", "TransactionInProgressException", "InternalServerError"],
  ...["ServiceUnavailable", "TimeoutError", "AbortError"],
])("reports %s as a busy database", (name) => {
  expect(toDatabaseError(error(name))).toBeInstanceOf(DatabaseBusy);
});

it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"])(
  "reports a broken connection as a busy database: %s, also as a cause",
  (code) => {
    expect(toDatabaseError(error("Error", { code }))).toBeInstanceOf(DatabaseBusy);
    expect(toDatabaseError(error("Error", { cause: { code } }))).toBeInstanceOf(DatabaseBusy);
  },
);

it.each([
  ["status 500", status(500)],
  ["status 503", status(503)],
  ["conflicts alone", cancelled("TransactionConflict", "None", undefined)],
  ["throttling alone", cancelled("ThrottlingError", "ProvisionedThroughputExceeded")],
])("reports %s as a busy database", (_, thrown) => {
  expect(toDatabaseError(thrown)).toBeInstanceOf(DatabaseBusy);
});

it("passes everything else through", () => {
  const broken = [cancelled("TransactionConflict", "ValidationError"), cancelled("None"), cancelled()];
  for (const thrown of [...broken, status(499), error("ValidationException"), "text", null, undefined, 5]) {
    expect(toDatabaseError(thrown)).toBe(thrown);
  }
});
