/** Statements of a game master who plays: they neither name nor show tag codes. */
import { isRecord } from "../runtime/objects.ts";
import { errorAt } from "./ast.ts";
import { tokenize } from "./tokens.ts";

const NAME = "tag_code";
/** The partitions of tag codes, see store/keys.ts. */
const PARTITION = "CODE#";

/**
 * Rejects a statement that names the attribute or the partition of tag codes: it could search for a code.
 * @throws DomainError `invalid_request`
 */
export const requireNoTagCode = (source: string, parameters: readonly unknown[]): void => {
  if (source.includes(PARTITION) || JSON.stringify(parameters).includes(PARTITION))
    throw errorAt(source, 0, "a game master who plays cannot look up tag codes");
  const found = tokenize(source).find(
    ({ kind, value }) => (kind === "word" || kind === "name") && value === NAME,
  );
  if (found !== undefined)
    throw errorAt(source, found.at, "a game master who plays cannot ask for tag codes");
};

const without = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(without);
  return isRecord(value) ? withoutTagCodes(value) : value;
};

/** A result without tag codes, also those within lists and maps. */
export const withoutTagCodes = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, name === NAME ? null : without(value)]),
  );
