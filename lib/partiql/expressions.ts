/** Parses names, paths, values and conditions. */
import { KEY_ATTRIBUTES } from "../dynamodb/key.ts";
import { type Comparator, type Condition, type Operand, type Path, TABLE, type Value } from "./ast.ts";
import type { TokenReader } from "./tokenReader.ts";

/** Keywords. They are names only in double quotes. */
const RESERVED = new Set(
  `ALL AND ANY AS ASC BETWEEN BY CASE CROSS DELETE DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FALSE FROM FULL
  GROUP HAVING IN INNER INSERT INTERSECT INTO IS JOIN LEFT LIKE LIMIT MISSING NOT NULL OFFSET ON OR ORDER OUTER
  PIVOT REMOVE RETURNING RIGHT SELECT SET SOME THEN TRUE UNION UNPIVOT UPDATE VALUES WHEN WHERE WITH`.split(
    /\s+/,
  ),
);

const NAME = /^[A-Za-z0-9_-]{1,255}$/;

const KEYS: readonly string[] = KEY_ATTRIBUTES;

const isKeyName = (name: string): boolean => KEYS.includes(name.toLowerCase());

/** Reads the name of an attribute. @throws DomainError `invalid_request` */
const attributeName = (reader: TokenReader): string => {
  const token = reader.peek();
  if (token.kind !== "name" && token.kind !== "word") throw reader.expected("the name of an attribute");
  if (token.kind === "word" && RESERVED.has(token.value.toUpperCase())) {
    throw reader.fail("the name of an attribute was expected; a keyword must be in double quotes");
  }
  return acceptName(reader.next().value, () =>
    reader.fail("no attribute of this table has such a name", token.at),
  );
};

const acceptName = (name: string, makeError: () => Error): string => {
  const isMisspelledKey = isKeyName(name) && !KEYS.includes(name);
  if (!NAME.test(name) || name === "__proto__" || isMisspelledKey) throw makeError();
  return name;
};

/** Reads an attribute, or a nested part of it. @throws DomainError `invalid_request` */
export const readPath = (reader: TokenReader): Path => {
  const { at } = reader.peek();
  const name = attributeName(reader);
  const steps: Path["steps"] = [];
  for (;;) {
    if (reader.symbol(".")) {
      const stepAt = reader.peek().at;
      const step = attributeName(reader);
      if (isKeyName(step)) throw reader.fail("a key of the table cannot be nested in an attribute", stepAt);
      steps.push(step);
    } else if (reader.isSymbol("[")) {
      reader.next();
      const token = reader.next();
      const step = Number(token.value);
      if (token.kind !== "number" || !Number.isSafeInteger(step)) {
        throw reader.fail("a list index must be a whole number", token.at);
      }
      reader.requireSymbol("]");
      steps.push(step);
    } else break;
  }
  if (steps.length > 0 && isKeyName(name))
    throw reader.fail("a key of the table has no nested attributes", at);
  if (steps.length > 0 && name === TABLE) {
    throw reader.fail("attributes are named without the table", at);
  }
  return { name, steps, at };
};

const readNumber = (reader: TokenReader): number => {
  const { at } = reader.peek();
  const negative = reader.symbol("-");
  const token = reader.next();
  if (token.kind !== "number") throw reader.fail("a number was expected here", at);
  const value = Number(token.value);
  const digits = token.value.replace(/e.*$/i, "").replace(".", "").replace(/^0+/, "");
  if (digits.length > 15 || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw reader.fail("a number may have up to 15 digits and must not exceed 9007199254740991", at);
  }
  return negative ? -value : value;
};

/** Reads values, separated by commas, and the closing bracket. */
const readValues = (reader: TokenReader, close: ")" | "]"): Value[] => {
  const values: Value[] = [];
  if (reader.symbol(close)) return values;
  do values.push(readValue(reader));
  while (reader.symbol(","));
  reader.requireSymbol(close);
  return values;
};

/** Reads the fields of a map after its opening brace. @throws DomainError `invalid_request` */
export const readFields = (reader: TokenReader): { name: Path; value: Value }[] => {
  const fields: { name: Path; value: Value }[] = [];
  const names = new Set<string>();
  if (reader.symbol("}")) return fields;
  do {
    const { kind, value: text, at } = reader.next();
    if (kind !== "text") throw reader.fail("the name of a field was expected here, in single quotes", at);
    const name = acceptName(text, () => reader.fail("no attribute of this table has such a name", at));
    if (names.has(name)) throw reader.fail("a field is named twice", at);
    names.add(name);
    reader.requireSymbol(":");
    fields.push({ name: { name, steps: [], at }, value: readValue(reader) });
  } while (reader.symbol(","));
  reader.requireSymbol("}");
  return fields;
};

const CONSTANTS = new Map<string, unknown>([
  ["TRUE", true],
  ["FALSE", false],
  ["NULL", null],
]);

/** Reads a literal or a parameter. @throws DomainError `invalid_request` */
export const readValue = (reader: TokenReader): Value => {
  const { kind, value, at } = reader.peek();
  if (kind === "parameter") return reader.parameter();
  if (kind === "text") return { value: reader.next().value, at };
  if (kind === "number" || reader.isSymbol("-")) return { value: readNumber(reader), at };
  const constant = value.toUpperCase();
  if (kind === "word" && CONSTANTS.has(constant)) {
    reader.next();
    return { value: CONSTANTS.get(constant), at };
  }
  if (reader.symbol("[")) {
    return { value: reader.nested(() => readValues(reader, "]")).map((inner) => inner.value), at };
  }
  if (reader.symbol("{")) {
    const fields = reader.nested(() => readFields(reader));
    return { value: Object.fromEntries(fields.map((field) => [field.name.name, field.value.value])), at };
  }
  throw reader.expected("a literal or a parameter");
};

const COMPARATORS = new Map<string, Comparator>([
  ["=", "="],
  ["<>", "<>"],
  ["!=", "<>"],
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
]);

/** Conditions that are functions of an attribute and a value. */
const CALLS = ["begins_with", "contains", "attribute_type"];

const isCall = (reader: TokenReader): boolean => reader.peek().kind === "word" && reader.isSymbol("(", 1);

const readCall = (reader: TokenReader, name: string): Condition => {
  reader.next();
  reader.requireSymbol("(");
  const path = readPath(reader);
  reader.requireSymbol(",");
  const value = readValue(reader);
  reader.requireSymbol(")");
  return { kind: "call", name, path, value };
};

const readOperand = (reader: TokenReader): Operand => {
  if (!isCall(reader)) return { path: readPath(reader), size: false };
  reader.next();
  reader.requireSymbol("(");
  const path = readPath(reader);
  reader.requireSymbol(")");
  return { path, size: true };
};

const readComparison = (reader: TokenReader): Condition => {
  const left = readOperand(reader);
  const { kind, value } = reader.peek();
  const comparator = kind === "symbol" ? COMPARATORS.get(value) : undefined;
  if (comparator !== undefined) {
    reader.next();
    return { kind: "compare", left, comparator, right: readValue(reader) };
  }
  if (reader.word("IN")) {
    const close = reader.isSymbol("[") ? "]" : ")";
    reader.requireSymbol(close === "]" ? "[" : "(");
    const { at } = reader.peek();
    const values = reader.nested(() => readValues(reader, close));
    if (values.length === 0) throw reader.fail("the list after IN is empty", at);
    return { kind: "in", left, values };
  }
  if (reader.word("BETWEEN")) {
    const low = readValue(reader);
    reader.requireWord("AND");
    return { kind: "between", left, low, high: readValue(reader) };
  }
  if (!left.size && reader.word("IS")) {
    const negated = reader.word("NOT");
    if (reader.word("MISSING")) return { kind: "is", path: left.path, predicate: "MISSING", negated };
    reader.requireWord("NULL");
    return { kind: "is", path: left.path, predicate: "NULL", negated };
  }
  throw reader.expected("a comparison, IN, BETWEEN or IS");
};

const readTerm = (reader: TokenReader): Condition => {
  if (reader.word("NOT")) return { kind: "not", part: reader.nested(() => readTerm(reader)) };
  if (reader.symbol("(")) {
    const inner = reader.nested(() => readCondition(reader));
    reader.requireSymbol(")");
    return inner;
  }
  const { value, at } = reader.peek();
  if (!isCall(reader)) return readComparison(reader);
  const name = value.toLowerCase();
  if (CALLS.includes(name)) return readCall(reader, name);
  if (name === "size") return readComparison(reader);
  throw reader.fail("the functions of a condition are begins_with, contains, attribute_type and size", at);
};

/** Reads terms joined by one keyword. Parentheses with the same keyword are flattened. */
const readJoined = (reader: TokenReader, keyword: "AND" | "OR", readPart: () => Condition): Condition => {
  const kind = keyword === "AND" ? "and" : "or";
  const parts: Condition[] = [];
  do {
    const part = readPart();
    parts.push(...(part.kind === kind ? part.parts : [part]));
  } while (reader.word(keyword));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind, parts };
};

/** Reads a condition: NOT binds closest, then AND, then OR. @throws DomainError `invalid_request` */
export const readCondition = (reader: TokenReader): Condition =>
  readJoined(reader, "OR", () => readJoined(reader, "AND", () => readTerm(reader)));
