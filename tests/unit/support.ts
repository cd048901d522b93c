/** Helpers of the unit tests. */
import { expect } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";

export const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
};

export const present = <T>(value: T): NonNullable<T> => {
  if (value === undefined || value === null) throw new Error("a value is missing");
  return value;
};

/** The domain error that an action throws; anything else fails the test. */
export const errorOf = (action: () => unknown): DomainError => {
  let value: unknown;
  try {
    value = action();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // The detail is a sentence, except for validation issues, which are listed.
    if (error.code !== "invalid_request") expect(error.detail).toMatch(/^\S.*\.$/);
    return error;
  }
  throw new Error(`was not rejected: ${JSON.stringify(value)}`);
};
