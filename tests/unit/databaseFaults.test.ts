/** The database's faults, told apart: what has moved, what passes by itself, and what is broken. */
import { describe, expect, it } from "vitest";
import { ConditionFailed, DatabaseBusy, toDatabaseError } from "../../lib/dynamodb/errors.ts";

const fault = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: (string | undefined)[]): Error =>
  fault("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });

describe("a condition that failed", () => {
  it("is stale, alone or in a transaction", () => {
    expect(toDatabaseError(fault("ConditionalCheckFailedException"))).toBeInstanceOf(ConditionFailed);
    expect(toDatabaseError(cancelled("None", "ConditionalCheckFailed"))).toBeInstanceOf(ConditionFailed);
  });

  it("is heard of at once: a failed condition outranks a conflict and a throttle", () => {
    expect(
      toDatabaseError(cancelled("TransactionConflict", "ConditionalCheckFailed", "None")),
    ).toBeInstanceOf(ConditionFailed);
    expect(toDatabaseError(cancelled("ThrottlingError", "ConditionalCheckFailed"))).toBeInstanceOf(
      ConditionFailed,
    );
  });
});

describe("what passes by itself", () => {
  it.each([
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "TransactionConflictException",
    "TransactionInProgressException",
    "InternalServerError",
    "ServiceUnavailable",
    "TimeoutError",
    "AbortError",
  ])("is a busy database: %s passes by itself", (name) => {
    expect(toDatabaseError(fault(name))).toBeInstanceOf(DatabaseBusy);
  });

  it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"])(
    "is a connection that broke: %s, also behind another error",
    (code) => {
      expect(toDatabaseError(fault("Error", { code }))).toBeInstanceOf(DatabaseBusy);
      expect(toDatabaseError(fault("Error", { cause: { code } }))).toBeInstanceOf(DatabaseBusy);
    },
  );

  it("is any answer from 500 on, and none below", () => {
    const status = (httpStatusCode: number) => fault("Strange", { $metadata: { httpStatusCode } });
    expect(toDatabaseError(status(500))).toBeInstanceOf(DatabaseBusy);
    expect(toDatabaseError(status(503))).toBeInstanceOf(DatabaseBusy);
    const refused = status(499);
    expect(toDatabaseError(refused)).toBe(refused);
  });

  it("is a transaction cancelled for such reasons alone", () => {
    expect(toDatabaseError(cancelled("TransactionConflict", "None", undefined))).toBeInstanceOf(DatabaseBusy);
    expect(toDatabaseError(cancelled("ThrottlingError", "ProvisionedThroughputExceeded"))).toBeInstanceOf(
      DatabaseBusy,
    );
    for (const broken of [
      cancelled("TransactionConflict", "ValidationError"),
      cancelled("None"),
      cancelled(),
    ]) {
      expect(toDatabaseError(broken)).toBe(broken);
    }
  });
});

it("anything else is as it came", () => {
  for (const thrown of [fault("ValidationException"), "a text", null, undefined, 5]) {
    expect(toDatabaseError(thrown)).toBe(thrown);
  }
});
