/**
 * Renders statements for the database. A statement is written from its validated tree, never from its source: each name in
 * quotes, each value as a parameter. So no comment, quote or escape can mean one thing to the validator and another to the
 * database.
 */
import type { Statement as DatabaseStatement } from "../dynamodb/database.ts";
import { INDEXES } from "../dynamodb/key.ts";
import type { Condition, Operand, Path, Select, Statement, Table } from "./ast.ts";

export interface Rendered extends DatabaseStatement {
  /** Attributes that are read for checks and must be removed from the result. */
  hidden: string[];
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const pathText = ({ name, steps }: Path): string =>
  quoted(name) + steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${quoted(step)}`)).join("");

const operandText = ({ path, size }: Operand): string => (size ? `size(${pathText(path)})` : pathText(path));

/** Renders conditions and collects the values of their parameters. */
const openRenderer = () => {
  const parameters: unknown[] = [];
  const value = (given: unknown): string => {
    parameters.push(given);
    return "?";
  };
  const condition = (given: Condition): string => {
    switch (given.kind) {
      case "and":
      case "or":
        return given.parts
          .map((part) =>
            part.kind === "or" || part.kind === "and" ? `(${condition(part)})` : condition(part),
          )
          .join(given.kind === "and" ? " AND " : " OR ");
      case "not":
        return `NOT (${condition(given.part)})`;
      case "compare":
        return `${operandText(given.left)} ${given.comparator} ${value(given.right.value)}`;
      case "in":
        return `${operandText(given.left)} IN [${given.values.map((one) => value(one.value)).join(", ")}]`;
      case "between":
        return `${operandText(given.left)} BETWEEN ${value(given.low.value)} AND ${value(given.high.value)}`;
      case "is":
        return `${pathText(given.path)} IS ${given.negated ? "NOT " : ""}${given.predicate}`;
      case "call":
        return `${given.name}(${pathText(given.path)}, ${value(given.value.value)})`;
    }
  };
  return {
    parameters,
    value,
    where: (given: Condition | null): string => (given === null ? "" : ` WHERE ${condition(given)}`),
  };
};

const tableText = (name: string, { index }: Pick<Table, "index">): string =>
  index === null ? quoted(name) : `${quoted(name)}.${quoted(index)}`;

/** Attributes that every result must contain: they show whether it is secret, is in order, and where a page ends. */
const keysOf = ({ index }: Table): string[] =>
  index === null
    ? ["pk", "sk", ...INDEXES.map((one) => `${one}pk`)]
    : ["pk", "sk", `${index}pk`, `${index}sk`];

const renderSelect = (select: Select): Rendered => {
  const { projection, table, where, order } = select;
  const renderer = openRenderer();
  const requested = projection?.map(pathText);
  const hidden =
    requested === undefined ? [] : keysOf(table).filter((key) => !requested.includes(quoted(key)));
  const columns =
    requested === undefined
      ? "*"
      : [...new Set([...requested, ...hidden.map((key) => quoted(key))])].join(", ");
  const condition = renderer.where(where);
  const ordered = order.map(({ key, descending }) => `${pathText(key)} ${descending ? "DESC" : "ASC"}`);
  const rest = condition + (ordered.length > 0 ? ` ORDER BY ${ordered.join(", ")}` : "");
  return {
    text: (name) => `SELECT ${columns} FROM ${tableText(name, table)}${rest}`,
    parameters: renderer.parameters,
    // An index cannot be read consistently.
    consistent: table.index === null,
    hidden,
  };
};

/** Renders a statement. */
export const render = (statement: Statement): Rendered => {
  if (statement.kind === "select") return renderSelect(statement);
  const renderer = openRenderer();
  const written = (text: (table: string) => string): Rendered => ({
    text: (name) => text(quoted(name)),
    parameters: renderer.parameters,
    hidden: [],
  });
  if (statement.kind === "insert") {
    // The parser accepts only names without quotes.
    const fields = statement.item.map(({ name, value }) => `'${name.name}': ${renderer.value(value.value)}`);
    return written((table) => `INSERT INTO ${table} VALUE {${fields.join(", ")}}`);
  }
  const returning = statement.returning === null ? "" : ` RETURNING ${statement.returning} *`;
  if (statement.kind === "delete") {
    const rest = renderer.where(statement.where) + returning;
    return written((table) => `DELETE FROM ${table}${rest}`);
  }
  // One SET clause per attribute is the only form for several that AWS documents
  // (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html).
  const changes = [
    ...statement.set.map(({ path, value }) => `SET ${pathText(path)} = ${renderer.value(value.value)}`),
    ...(statement.remove === null ? [] : [`REMOVE ${pathText(statement.remove)}`]),
  ].join(" ");
  const rest = renderer.where(statement.where) + returning;
  return written((table) => `UPDATE ${table} ${changes}${rest}`);
};
