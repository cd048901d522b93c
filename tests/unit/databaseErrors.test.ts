/** DynamoDB's errors: failed conditions, temporary failures, and everything else. */
import { expect, it } from "vitest";
import {
  ConditionFailed,
  DatabaseBusy,
  StatementRejected,
  toDatabaseError,
  toStatementError,
} from "../../lib/dynamodb/errors.ts";

const error = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: (string | undefined)[]): Error =>
  error("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
const status = (httpStatusCode: number): Error => error("Unknown", { $metadata: { httpStatusCode } });

it("reports a failed condition as such, alone or in a transaction, also together with other reasons", () => {
  for (const thrown of [
    error("ConditionalCheckFailedException"),
    cancelled("TransactionConflict", "ConditionalCheckFailed", "None"),
    cancelled("ThrottlingError", "ConditionalCheckFailed"),
  ])
    expect(toDatabaseError(thrown)).toBeInstanceOf(ConditionFailed);
});

it("reports throttling, failures of the server and broken connections as a busy database", () => {
  const names = `ThrottlingException ProvisionedThroughputExceededException RequestLimitExceeded InternalServerError
    TransactionConflictException TransactionInProgressException ServiceUnavailable TimeoutError AbortError`;
  const broken = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"].flatMap(
    (code) => [error(code, { code }), error(`a cause ${code}`, { cause: { code } })],
  );
  for (const thrown of [
    ...[...names.split(/\s+/).map((name) => error(name)), ...broken, status(500), status(503)],
    cancelled("TransactionConflict", "None", undefined),
    cancelled("ThrottlingError", "ProvisionedThroughputExceeded"),
  ])
    expect(toDatabaseError(thrown), thrown.message).toBeInstanceOf(DatabaseBusy);
});

it("passes everything else through", () => {
  const broken = [cancelled("TransactionConflict", "ValidationError"), cancelled("None"), cancelled()];
  for (const thrown of [...broken, status(499), error("ValidationException"), "text", null, undefined, 5])
    expect(toDatabaseError(thrown)).toBe(thrown);
});

it("rejects a statement whose condition failed, unless an earlier attempt may have carried it out", () => {
  for (const name of ["ConditionalCheckFailedException", "DuplicateItem", "DuplicateItemException"]) {
    const after = (attempts: number) => toStatementError(error(name, { $metadata: { attempts } }));
    expect(after(1)).toBeInstanceOf(StatementRejected);
    expect(after(2)).toBeInstanceOf(DatabaseBusy);
  }
});
