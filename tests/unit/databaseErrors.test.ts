/** The database's faults, told apart: what has moved, what passes by itself, and what is broken. */
import { describe, expect, it } from "vitest";
import { ConditionFailed, DatabaseBusy, databaseFault } from "../../lib/dynamodb/errors.ts";

const fault = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: (string | undefined)[]): Error =>
  fault("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });

describe("a condition that failed", () => {
  it("is stale, alone or in a transaction", () => {
    expect(databaseFault(fault("ConditionalCheckFailedException"))).toBeInstanceOf(ConditionFailed);
    expect(databaseFault(cancelled("None", "ConditionalCheckFailed"))).toBeInstanceOf(ConditionFailed);
  });

  it("is heard of at once: a failed condition outranks a conflict and a throttle", () => {
    expect(databaseFault(cancelled("TransactionConflict", "ConditionalCheckFailed", "None"))).toBeInstanceOf(
      ConditionFailed,
    );
    expect(databaseFault(cancelled("ThrottlingError", "ConditionalCheckFailed"))).toBeInstanceOf(
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
    expect(databaseFault(fault(name))).toBeInstanceOf(DatabaseBusy);
  });

  it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"])(
    "is a connection that broke: %s, also behind another error",
    (code) => {
      expect(databaseFault(fault("Error", { code }))).toBeInstanceOf(DatabaseBusy);
      expect(databaseFault(fault("Error", { cause: { code } }))).toBeInstanceOf(DatabaseBusy);
    },
  );

  it("is any answer from 500 on, and none below", () => {
    const status = (httpStatusCode: number) => fault("Strange", { $metadata: { httpStatusCode } });
    expect(databaseFault(status(500))).toBeInstanceOf(DatabaseBusy);
    expect(databaseFault(status(503))).toBeInstanceOf(DatabaseBusy);
    const refused = status(499);
    expect(databaseFault(refused)).toBe(refused);
  });

  it("is a transaction cancelled for such reasons alone", () => {
    expect(databaseFault(cancelled("TransactionConflict", "None", undefined))).toBeInstanceOf(DatabaseBusy);
    expect(databaseFault(cancelled("ThrottlingError", "ProvisionedThroughputExceeded"))).toBeInstanceOf(
      DatabaseBusy,
    );
    for (const broken of [
      cancelled("TransactionConflict", "ValidationError"),
      cancelled("None"),
      cancelled(),
    ]) {
      expect(databaseFault(broken)).toBe(broken);
    }
  });
});

it("anything else is as it came", () => {
  for (const thrown of [fault("ValidationException"), "a text", null, undefined, 5]) {
    expect(databaseFault(thrown)).toBe(thrown);
  }
});
