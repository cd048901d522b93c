/**
 * The judge: what a game master's statement may ask. It names partitions and reads or writes in them, it never
 * scans; and no partition of secrets can be named. What is not known to be harmless is refused.
 */
import { invalid } from "../domain/domainError.ts";
import { type Condition, errorAt, type Path, type Select, type Statement, type Value } from "./ast.ts";
import { parse } from "./parse.ts";
import { holdsSecretName, namesSecret, PARTITION_KEYS } from "./secrets.ts";
import { tokenize } from "./tokens.ts";

const NO_SECRETS = "no partition that holds a secret can be named";
const MOST_KEYS = 50;
const MOST_KEY_BYTES = 2_048;

interface Rules {
  /** Whether the deployment has switched writing on. */
  writes: boolean;
}

const requireNoSecretNamed = (source: string, parameters: readonly unknown[]): void => {
  for (const { kind, value, at } of tokenize(source)) {
    if ((kind === "text" || kind === "name") && namesSecret(value)) throw errorAt(source, at, NO_SECRETS);
  }
  const at = parameters.findIndex(holdsSecretName);
  if (at >= 0) throw invalid({ path: `parameters.${at}`, message: NO_SECRETS });
};

/** Conditions that must all hold; those of a condition that is no AND are itself. */
const termsOf = (where: Condition | null): Condition[] =>
  where === null ? [] : where.kind === "and" ? where.parts : [where];

/** Every attribute that a condition asks about. */
const pathsOf = (condition: Condition): Path[] => {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.parts.flatMap(pathsOf);
    case "not":
      return pathsOf(condition.part);
    case "is":
    case "call":
      return [condition.path];
    default:
      return [condition.left.path];
  }
};

/** The values that a term fixes an attribute to, by `=` or `IN`; none for any other term. */
const fixedBy = (term: Condition, attribute: string): Value[] => {
  if (term.kind !== "compare" && term.kind !== "in") return [];
  if (term.left.size || term.left.path.name !== attribute) return [];
  if (term.kind === "in") return term.values;
  return term.comparator === "=" ? [term.right] : [];
};

const openCourt = (source: string, statement: Statement) => {
  const refuse = (message: string, at = statement.table.at) => errorAt(source, at, message);
  const where = statement.kind === "insert" ? null : statement.where;
  const terms = termsOf(where);

  const requireKeyText = (attribute: string, { value, at }: Value): void => {
    if (typeof value !== "string" || value === "") throw refuse(`${attribute} is a text and not empty`, at);
    if (Buffer.byteLength(value) > MOST_KEY_BYTES) {
      throw refuse(`${attribute} has at most ${MOST_KEY_BYTES} bytes`, at);
    }
  };

  /** The one term that fixes an attribute; it may stand nowhere else. */
  const requireFixed = (attribute: string, rule: string): Condition => {
    const found = terms.filter((term) => fixedBy(term, attribute).length > 0);
    const [only] = found;
    if (only === undefined) throw refuse(rule, terms.flatMap(pathsOf)[0]?.at);
    if (found.length > 1) throw refuse(`${attribute} is fixed twice`, found.flatMap(pathsOf)[1]?.at);
    const values = fixedBy(only, attribute);
    if (values.length > MOST_KEYS) throw refuse(`at most ${MOST_KEYS} keys are taken`, values[MOST_KEYS]?.at);
    for (const [place, value] of values.entries()) {
      requireKeyText(attribute, value);
      if (values.findIndex((other) => other.value === value.value) < place) {
        throw refuse("a key is named twice", value.at);
      }
    }
    return only;
  };

  /** Beside the terms that fix keys, these attributes may be asked about nowhere. */
  const requireUnasked = (attributes: readonly string[], fixing: readonly Condition[]): void => {
    const others = terms.filter((term) => !fixing.includes(term)).flatMap(pathsOf);
    const asked = others.find(({ name }) => attributes.includes(name));
    if (asked === undefined) return;
    throw refuse(`${asked.name} may stand only in the one condition that fixes it`, asked.at);
  };

  return { refuse, requireKeyText, requireFixed, requireUnasked };
};

type Court = ReturnType<typeof openCourt>;

const judgeSelect = (court: Court, { table, order }: Select): void => {
  const [pk, sk] = table.index === null ? ["pk", "sk"] : [`${table.index}pk`, `${table.index}sk`];
  const rule = `nothing scans: the conditions, joined by AND, must fix ${pk} by = or IN`;
  const fixing = court.requireFixed(pk, rule);
  court.requireUnasked(PARTITION_KEYS, [fixing]);
  for (const { key } of order) {
    if (key.name !== pk && key.name !== sk) {
      throw court.refuse(`ORDER BY takes ${pk} and ${sk}`, key.at);
    }
  }
};

const judgeItemWrite = (court: Court, changed: readonly Path[]): void => {
  const fixing = ["pk", "sk"].map((key) => {
    const rule = `one item is written: the conditions, joined by AND, must fix pk and sk by =`;
    const term = court.requireFixed(key, rule);
    if (term.kind !== "compare") throw court.refuse(rule, pathsOf(term)[0]?.at);
    return term;
  });
  court.requireUnasked([...PARTITION_KEYS, "sk"], fixing);
  const key = changed.find(({ name }) => name === "sk" || PARTITION_KEYS.includes(name));
  if (key !== undefined) throw court.refuse("a key of the table cannot be changed", key.at);
};

/**
 * A statement that may be asked, as a tree.
 * @throws DomainError `invalid_request` saying which rule it breaks, and where
 */
export const validate = (source: string, parameters: readonly unknown[], { writes }: Rules): Statement => {
  requireNoSecretNamed(source, parameters);
  const statement = parse(source, parameters);
  const court = openCourt(source, statement);
  if (statement.kind === "select") {
    judgeSelect(court, statement);
    return statement;
  }
  if (!writes) throw court.refuse("this deployment has not switched writing on (INJECT_SQL_WRITES)", 0);
  if (statement.table.index !== null) throw court.refuse("an index is not written to");
  if (statement.kind === "insert") {
    for (const key of ["pk", "sk"]) {
      const field = statement.item.find(({ name }) => name.name === key);
      if (field === undefined) throw court.refuse("one item is written: VALUE must have pk and sk");
      court.requireKeyText(key, field.value);
    }
  } else if (statement.kind === "update") {
    judgeItemWrite(court, [
      ...statement.set.map(({ path }) => path),
      ...(statement.remove === null ? [] : [statement.remove]),
    ]);
  } else judgeItemWrite(court, []);
  return statement;
};
