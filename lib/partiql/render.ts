/**
 * What the database is told. Never what was typed: the statement is written anew from the tree that was
 * judged, each name in quotes and each value a parameter. So no comment, quote or escape can mean one thing
 * to the judge and another to the database.
 */
import type { Statement as DatabaseStatement } from "../dynamodb/database.ts";
import { INDEXES } from "../dynamodb/key.ts";
import type { Condition, Operand, Path, Select, Statement, Table } from "./ast.ts";

/** A statement as the database takes it, and what its answer must be freed of. */
export interface Rendered extends DatabaseStatement {
  /** Attributes that are read for our own sake, and were not asked for. */
  hidden: string[];
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const pathText = ({ name, steps }: Path): string =>
  quoted(name) + steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${quoted(step)}`)).join("");

const operandText = ({ path, size }: Operand): string => (size ? `size(${pathText(path)})` : pathText(path));

/** Writes conditions, and keeps their values in the order of their parameters. */
const openScribe = () => {
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
        return `${pathText(given.path)} IS ${given.negated ? "NOT " : ""}${given.what}`;
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

/** What must come with every item: its own key, and the keys by which a secret would be known. */
const keysOf = ({ index }: Table): string[] =>
  index === null
    ? ["pk", "sk", ...INDEXES.map((one) => `${one}pk`)]
    : ["pk", "sk", `${index}pk`, `${index}sk`];

const renderSelect = (select: Select): Rendered => {
  const { projection, table, where, order } = select;
  const scribe = openScribe();
  const asked = projection?.map(pathText);
  const hidden = asked === undefined ? [] : keysOf(table).filter((key) => !asked.includes(quoted(key)));
  const columns =
    asked === undefined ? "*" : [...new Set([...asked, ...hidden.map((key) => quoted(key))])].join(", ");
  const condition = scribe.where(where);
  const ordered = order.map(({ key, descending }) => `${pathText(key)} ${descending ? "DESC" : "ASC"}`);
  const rest = condition + (ordered.length > 0 ? ` ORDER BY ${ordered.join(", ")}` : "");
  return {
    text: (name) => `SELECT ${columns} FROM ${tableText(name, table)}${rest}`,
    parameters: scribe.parameters,
    // An index cannot be read consistently.
    consistent: table.index === null,
    hidden,
  };
};

/** The statement for the database. */
export const render = (statement: Statement): Rendered => {
  if (statement.kind === "select") return renderSelect(statement);
  const scribe = openScribe();
  const written = (text: (table: string) => string): Rendered => ({
    text: (name) => text(quoted(name)),
    parameters: scribe.parameters,
    hidden: [],
  });
  if (statement.kind === "insert") {
    // Names of fields are of a few harmless characters: the parser sees to it.
    const fields = statement.item.map(({ name, value }) => `'${name.name}': ${scribe.value(value.value)}`);
    return written((table) => `INSERT INTO ${table} VALUE {${fields.join(", ")}}`);
  }
  const returning = statement.returning === null ? "" : ` RETURNING ${statement.returning} *`;
  if (statement.kind === "delete") {
    const rest = scribe.where(statement.where) + returning;
    return written((table) => `DELETE FROM ${table}${rest}`);
  }
  // Each attribute has a SET clause of its own: the only form that AWS documents for several
  // (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html).
  const changes = [
    ...statement.set.map(({ path, value }) => `SET ${pathText(path)} = ${scribe.value(value.value)}`),
    ...(statement.remove === null ? [] : [`REMOVE ${pathText(statement.remove)}`]),
  ].join(" ");
  const rest = scribe.where(statement.where) + returning;
  return written((table) => `UPDATE ${table} ${changes}${rest}`);
};
