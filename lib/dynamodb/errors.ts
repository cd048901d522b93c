/** Errors of the database, independent of the SDK: a failed condition, a busy database, a rejected statement. */
import { property } from "../runtime/objects.ts";

/** A condition of a write failed: an item has changed since it was read. */
export class ConditionFailed extends Error {
  override readonly name = "ConditionFailed";
}

/** The database did not accept a call, or its response was lost. A retry may succeed. */
export class DatabaseBusy extends Error {
  override readonly name = "DatabaseBusy";
}

/** The database rejected a statement. The message is for the author of the statement. */
export class StatementRejected extends Error {
  override readonly name = "StatementRejected";
}

const CONDITION_FAILED = "ConditionalCheckFailed";

/** Codes of cancelled transactions, and names and codes of exceptions, after which a retry may succeed. */
const TEMPORARY = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TransactionConflictException",
  "TransactionInProgressException",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  "AbortError",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
]);

/** Converts an error of the SDK to {@link ConditionFailed} or {@link DatabaseBusy}; returns other errors unchanged. */
export const toDatabaseError = (error: unknown): unknown => {
  const name = property(error, "name");
  if (name === "ConditionalCheckFailedException")
    return new ConditionFailed("condition failed", { cause: error });
  if (name === "TransactionCanceledException") {
    const reasons = property(error, "CancellationReasons");
    const codes = Array.isArray(reasons) ? reasons.map((reason) => property(reason, "Code")) : [];
    // A failed condition has precedence over a conflict, so that the caller reads again immediately.
    if (codes.includes(CONDITION_FAILED)) return new ConditionFailed("condition failed", { cause: error });
    const failedCodes = codes.filter((code) => code !== undefined && code !== "None");
    const isTemporary = failedCodes.length > 0 && failedCodes.every((code) => TEMPORARY.has(String(code)));
    return isTemporary ? new DatabaseBusy(failedCodes.join(", "), { cause: error }) : error;
  }
  const names = [name, property(error, "code"), property(property(error, "cause"), "code")];
  const status = property(property(error, "$metadata"), "httpStatusCode");
  const isTemporary =
    names.some((one) => TEMPORARY.has(String(one))) || (typeof status === "number" && status >= 500);
  return isTemporary ? new DatabaseBusy(String(name), { cause: error }) : error;
};

/** Names of errors that the author of a statement can correct. */
const STATEMENT_ERRORS = new Set([
  "ValidationException",
  "ConditionalCheckFailedException",
  "DuplicateItem",
  "DuplicateItemException",
  "ItemCollectionSizeLimitExceededException",
]);

/** Names of errors that a write can get because it was already carried out. */
const REPEATED_WRITE_ERRORS = new Set([
  "ConditionalCheckFailedException",
  "DuplicateItem",
  "DuplicateItemException",
]);

/** Converts an error of a statement to {@link StatementRejected}, or as {@link toDatabaseError} does. */
export const toStatementError = (error: unknown): unknown => {
  const name = String(property(error, "name"));
  const attempts = property(property(error, "$metadata"), "attempts");
  // The SDK retried after a lost response, so its own first attempt may have caused the error.
  if (REPEATED_WRITE_ERRORS.has(name) && typeof attempts === "number" && attempts > 1) {
    return new DatabaseBusy(name, { cause: error });
  }
  if (STATEMENT_ERRORS.has(name))
    return new StatementRejected(String(property(error, "message")), { cause: error });
  // The original message names roles and accounts.
  if (name === "AccessDeniedException") {
    return new StatementRejected("the access policy of this deployment forbids it", { cause: error });
  }
  return toDatabaseError(error);
};
