/** The parser of PartiQL statements. */
import { INDEXES, type Index } from "../dynamodb/key.ts";
import {
  type Condition,
  type Delete,
  type Insert,
  type Order,
  type Path,
  type Returning,
  type Select,
  type Statement,
  TABLE,
  type Table,
  type Update,
} from "./ast.ts";
import { readCondition, readFields, readPath, readValue } from "./expressions.ts";
import { openTokenReader, type TokenReader } from "./tokenReader.ts";

const readTable = (reader: TokenReader): Table => {
  const { kind, value, at } = reader.peek();
  if ((kind !== "name" && kind !== "word") || value !== TABLE) {
    throw reader.fail(`the table is written "${TABLE}", an index "${TABLE}"."<index>"`);
  }
  reader.next();
  if (!reader.symbol(".")) return { index: null, at };
  const token = reader.next();
  const index = token.kind === "name" || token.kind === "word" ? asIndex(token.value) : undefined;
  if (index === undefined) throw reader.fail(`the indexes are ${INDEXES.join(", ")}`, token.at);
  return { index, at };
};

const asIndex = (name: string): Index | undefined => INDEXES.find((index) => index === name);

const readWhere = (reader: TokenReader): Condition | null =>
  reader.word("WHERE") ? readCondition(reader) : null;

const readOrder = (reader: TokenReader): Order[] => {
  if (!reader.word("ORDER")) return [];
  reader.requireWord("BY");
  const order: Order[] = [];
  do {
    const key = readPath(reader);
    const descending = reader.word("DESC");
    if (!descending) reader.word("ASC");
    order.push({ key, descending });
  } while (reader.symbol(","));
  return order;
};

const readPaths = (reader: TokenReader): Path[] => {
  const paths: Path[] = [];
  do paths.push(readPath(reader));
  while (reader.symbol(","));
  return paths;
};

const readSelect = (reader: TokenReader): Select => {
  const projection = reader.symbol("*") ? null : readPaths(reader);
  reader.requireWord("FROM");
  const table = readTable(reader);
  const where = readWhere(reader);
  const order = readOrder(reader);
  reader.close(
    where === null ? "WHERE" : order.length === 0 ? "AND, ORDER BY or the end" : "a comma or the end",
  );
  return { kind: "select", projection, table, where, order };
};

const readInsert = (reader: TokenReader): Insert => {
  reader.requireWord("INTO");
  const table = readTable(reader);
  reader.requireWord("VALUE");
  reader.requireSymbol("{");
  const item = readFields(reader);
  reader.close("the end");
  return { kind: "insert", table, item };
};

const RETURNED: readonly Returning[] = ["ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"];

const readReturning = (reader: TokenReader): Returning | null => {
  if (!reader.word("RETURNING")) return null;
  const clause = `${reader.peek().value} ${reader.peek(1).value}`.toUpperCase();
  const returning = RETURNED.find((one) => one === clause);
  if (returning === undefined) throw reader.expected(`one of ${RETURNED.join(", ")}`);
  reader.next();
  reader.next();
  reader.requireSymbol("*");
  return returning;
};

const readUpdate = (reader: TokenReader): Update => {
  const table = readTable(reader);
  const set: Update["set"] = [];
  let remove: Path | null = null;
  for (;;) {
    if (reader.word("SET")) {
      do {
        const path = readPath(reader);
        reader.requireSymbol("=");
        set.push({ path, value: readValue(reader) });
      } while (reader.symbol(","));
    } else if (reader.isWord("REMOVE")) {
      // Engines differ in the syntax for several attributes.
      if (remove !== null) throw reader.fail("only one attribute can be removed at a time");
      reader.next();
      remove = readPath(reader);
    } else break;
  }
  if (set.length === 0 && remove === null) throw reader.expected("SET or REMOVE");
  const where = readWhere(reader);
  const returning = readReturning(reader);
  reader.close(where === null ? "WHERE" : "AND, RETURNING or the end");
  return { kind: "update", table, set, remove, where, returning };
};

const readDelete = (reader: TokenReader): Delete => {
  reader.requireWord("FROM");
  const table = readTable(reader);
  const where = readWhere(reader);
  const returning = readReturning(reader);
  reader.close(where === null ? "WHERE" : "AND, RETURNING or the end");
  return { kind: "delete", table, where, returning };
};

/**
 * Parses a statement and inserts its parameters.
 * @throws DomainError `invalid_request` for the first syntax error, with its position, or a wrong number of parameters
 */
export const parse = (source: string, parameters: readonly unknown[]): Statement => {
  const reader = openTokenReader(source, parameters);
  if (reader.word("SELECT")) return readSelect(reader);
  if (reader.word("INSERT")) return readInsert(reader);
  if (reader.word("UPDATE")) return readUpdate(reader);
  if (reader.word("DELETE")) return readDelete(reader);
  throw reader.expected("SELECT, INSERT, UPDATE or DELETE");
};
