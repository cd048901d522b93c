/** The syntax tree of a statement, from the parser to the validator and the renderer. */
import { type DomainError, invalidRequest } from "../domain/domainError.ts";
import type { Index } from "../dynamodb/key.ts";

/** The name of the table in statements, whatever its deployed name is. */
export const TABLE = "game";

/** An attribute, or a nested part of it. */
export interface Path {
  name: string;
  /** Names of fields and list indexes, outermost first. */
  steps: (string | number)[];
  at: number;
}

/** A literal or the value of a parameter. */
export interface Value {
  value: unknown;
  at: number;
}

/** An attribute or its size. */
export interface Operand {
  path: Path;
  size: boolean;
}

export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";

export type Condition =
  | { kind: "and" | "or"; parts: Condition[] }
  | { kind: "not"; part: Condition }
  | { kind: "compare"; left: Operand; comparator: Comparator; right: Value }
  | { kind: "in"; left: Operand; values: Value[] }
  | { kind: "between"; left: Operand; low: Value; high: Value }
  | { kind: "is"; path: Path; predicate: "MISSING" | "NULL"; negated: boolean }
  | { kind: "call"; name: string; path: Path; value: Value };

export interface Order {
  key: Path;
  descending: boolean;
}

export interface Table {
  index: Index | null;
  at: number;
}

/** The attributes that a write returns. */
export type Returning = "ALL OLD" | "ALL NEW" | "MODIFIED OLD" | "MODIFIED NEW";

export interface Select {
  kind: "select";
  /** `null` for all attributes. */
  projection: Path[] | null;
  table: Table;
  where: Condition | null;
  order: Order[];
}

export interface Insert {
  kind: "insert";
  table: Table;
  item: { name: Path; value: Value }[];
}

export interface Update {
  kind: "update";
  table: Table;
  set: { path: Path; value: Value }[];
  remove: Path | null;
  where: Condition | null;
  returning: Returning | null;
}

export interface Delete {
  kind: "delete";
  table: Table;
  where: Condition | null;
  returning: Returning | null;
}

export type Statement = Select | Insert | Update | Delete;

/** The domain error `invalid_request` with line and column. @param at the position in UTF-16 units */
export const errorAt = (source: string, at: number, message: string): DomainError => {
  const lines = source.slice(0, at).split(/\r\n|\r|\n/);
  const column = [...(lines.at(-1) ?? "")].length + 1;
  return invalidRequest({ path: "statement", message: `line ${lines.length}, column ${column}: ${message}` });
};
