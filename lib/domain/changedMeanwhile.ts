/** What two game masters change at the same time: the second one learns of it, and decides. */
import { DomainError } from "./domainError.ts";
import { joinNames } from "./validation.ts";

/** The name of what a field changes. */
const currentName = (field: string): string => (field === "alias_to" ? "alias" : field);

/**
 * Requires that nobody has changed what a request changes since its sender has read it.
 * @param changed the names of the fields that have changed
 * @throws DomainError `changed_meanwhile`
 */
export const requireNoneChanged = (changed: readonly string[]): void => {
  if (changed.length === 0) return;
  const detail = `Somebody else has changed the ${joinNames(changed.map(currentName))} meanwhile.`;
  throw new DomainError("changed_meanwhile", detail);
};

/**
 * The fields that somebody else has changed since they were read. Those that already have the wanted value are none.
 * @param was the values that were read
 * @param wanted the values that the request sets
 */
export const fieldsChangedSince = (
  was: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): string[] =>
  Object.keys(was).filter(
    (name) => was[name] !== undefined && was[name] !== current[name] && current[name] !== wanted[name],
  );
