/** Errors of the database, independent of the SDK: a failed condition, a busy database, a rejected statement. */

/** A condition of a write failed: something has moved since it was read. */
export class ConditionFailed extends Error {
  override readonly name = "ConditionFailed";
}

/** The database did not take the call, or its answer was lost; the same call again may succeed. */
export class DatabaseBusy extends Error {
  override readonly name = "DatabaseBusy";
}

/** The database does not carry out a statement; its words are for whoever wrote it. */
export class StatementRejected extends Error {
  override readonly name = "StatementRejected";
}

const CONDITION_FAILED = "ConditionalCheckFailed";

/** Reasons that pass by themselves, as a cancelled transaction and as exceptions of their own. */
const PASSING = new Set([
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

export const property = (thing: unknown, name: string): unknown =>
  typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined;

/** Tells the faults of the SDK apart: {@link ConditionFailed}, {@link DatabaseBusy}, or as it came. */
export const toDatabaseError = (error: unknown): unknown => {
  const name = property(error, "name");
  if (name === "ConditionalCheckFailedException")
    return new ConditionFailed("condition failed", { cause: error });
  if (name === "TransactionCanceledException") {
    const reasons = property(error, "CancellationReasons");
    const codes = Array.isArray(reasons) ? reasons.map((reason) => property(reason, "Code")) : [];
    // A failed condition outranks a conflict: the loser of a race is to read again at once.
    if (codes.includes(CONDITION_FAILED)) return new ConditionFailed("condition failed", { cause: error });
    const real = codes.filter((code) => code !== undefined && code !== "None");
    const passing = real.length > 0 && real.every((code) => PASSING.has(String(code)));
    return passing ? new DatabaseBusy(real.join(", "), { cause: error }) : error;
  }
  const marks = [name, property(error, "code"), property(property(error, "cause"), "code")];
  const status = property(property(error, "$metadata"), "httpStatusCode");
  const passing =
    marks.some((mark) => PASSING.has(String(mark))) || (typeof status === "number" && status >= 500);
  return passing ? new DatabaseBusy(String(name), { cause: error }) : error;
};

/** Names of the faults that lie with a statement. */
const REFUSING = new Set([
  "ValidationException",
  "ConditionalCheckFailedException",
  "DuplicateItem",
  "DuplicateItemException",
  "ItemCollectionSizeLimitExceededException",
]);

/** What a statement that writes is told when it has been carried out before. */
const REPEATED = new Set(["ConditionalCheckFailedException", "DuplicateItem", "DuplicateItemException"]);

export const toStatementError = (error: unknown): unknown => {
  const name = String(property(error, "name"));
  const attempts = property(property(error, "$metadata"), "attempts");
  // The client asked again when an answer was lost: it may be its own first try that stands in the way.
  if (REPEATED.has(name) && typeof attempts === "number" && attempts > 1) {
    return new DatabaseBusy(name, { cause: error });
  }
  if (REFUSING.has(name)) return new StatementRejected(String(property(error, "message")), { cause: error });
  // What the policy says names roles and accounts.
  if (name === "AccessDeniedException") {
    return new StatementRejected("the access policy of this deployment forbids it", { cause: error });
  }
  return toDatabaseError(error);
};
