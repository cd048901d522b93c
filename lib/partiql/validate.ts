/**
 * Validates game masters' statements. A statement reads or writes named partitions, it never scans, and it cannot name
 * partitions that hold secrets. A statement that is not known to be safe is rejected.
 */
import { invalidRequest } from "../domain/domainError.ts";
import { type Condition, errorAt, type Path, type Select, type Statement, type Value } from "./ast.ts";
import { parse } from "./parse.ts";
import { holdsSecretName, namesSecret, PARTITION_KEYS } from "./secrets.ts";
import { tokenize } from "./tokens.ts";

const NO_SECRETS = "no partition that holds a secret can be named";
const MAX_KEYS = 50;
const MAX_KEY_BYTES = 2_048;

interface Rules {
  /** Whether the deployment allows writes. */
  writes: boolean;
}

const requireNoSecretNamed = (source: string, parameters: readonly unknown[]): void => {
  for (const { kind, value, at } of tokenize(source)) {
    if ((kind === "text" || kind === "name") && namesSecret(value)) throw errorAt(source, at, NO_SECRETS);
  }
  const at = parameters.findIndex(holdsSecretName);
  if (at >= 0) throw invalidRequest({ path: `parameters.${at}`, message: NO_SECRETS });
};

/** The conditions joined by AND; a different condition is a single term. */
const termsOf = (where: Condition | null): Condition[] =>
  where === null ? [] : where.kind === "and" ? where.parts : [where];

/** All attributes in a condition. */
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

/** The values to which a term fixes an attribute with `=` or `IN`; none for other terms. */
const fixedBy = (term: Condition, attribute: string): Value[] => {
  if (term.kind !== "compare" && term.kind !== "in") return [];
  if (term.left.size || term.left.path.name !== attribute) return [];
  if (term.kind === "in") return term.values;
  return term.comparator === "=" ? [term.right] : [];
};

const openValidator = (source: string, statement: Statement) => {
  const fail = (message: string, at = statement.table.at) => errorAt(source, at, message);
  const where = statement.kind === "insert" ? null : statement.where;
  const terms = termsOf(where);

  const requireKeyText = (attribute: string, { value, at }: Value): void => {
    if (typeof value !== "string" || value === "") throw fail(`${attribute} is a text and not empty`, at);
    if (Buffer.byteLength(value) > MAX_KEY_BYTES) {
      throw fail(`${attribute} has at most ${MAX_KEY_BYTES} bytes`, at);
    }
  };

  /** The single term that fixes an attribute. */
  const requireFixed = (attribute: string, rule: string): Condition => {
    const found = terms.filter((term) => fixedBy(term, attribute).length > 0);
    const [only] = found;
    if (only === undefined) throw fail(rule, terms.flatMap(pathsOf)[0]?.at);
    if (found.length > 1) throw fail(`${attribute} is fixed twice`, found.flatMap(pathsOf)[1]?.at);
    const values = fixedBy(only, attribute);
    if (values.length > MAX_KEYS) throw fail(`at most ${MAX_KEYS} keys are allowed`, values[MAX_KEYS]?.at);
    for (const [index, value] of values.entries()) {
      requireKeyText(attribute, value);
      if (values.findIndex((other) => other.value === value.value) < index) {
        throw fail("a key is named twice", value.at);
      }
    }
    return only;
  };

  /** Rejects these attributes in all terms except the fixing ones. */
  const requireNotInOtherTerms = (attributes: readonly string[], fixing: readonly Condition[]): void => {
    const others = terms.filter((term) => !fixing.includes(term)).flatMap(pathsOf);
    const found = others.find(({ name }) => attributes.includes(name));
    if (found === undefined) return;
    throw fail(`${found.name} may occur only in the condition that fixes it`, found.at);
  };

  return { fail, requireKeyText, requireFixed, requireNotInOtherTerms };
};

type Validator = ReturnType<typeof openValidator>;

const validateSelect = (validator: Validator, { table, order }: Select): void => {
  const [pk, sk] = table.index === null ? ["pk", "sk"] : [`${table.index}pk`, `${table.index}sk`];
  const rule = `scans are not allowed: the conditions, joined by AND, must fix ${pk} by = or IN`;
  const fixing = validator.requireFixed(pk, rule);
  validator.requireNotInOtherTerms(PARTITION_KEYS, [fixing]);
  for (const { key } of order) {
    if (key.name !== pk && key.name !== sk) {
      throw validator.fail(`ORDER BY takes ${pk} and ${sk}`, key.at);
    }
  }
};

const validateItemWrite = (validator: Validator, changed: readonly Path[]): void => {
  const fixing = ["pk", "sk"].map((key) => {
    const rule = "a statement writes one item: the conditions, joined by AND, must fix pk and sk by =";
    const term = validator.requireFixed(key, rule);
    if (term.kind !== "compare") throw validator.fail(rule, pathsOf(term)[0]?.at);
    return term;
  });
  validator.requireNotInOtherTerms([...PARTITION_KEYS, "sk"], fixing);
  const key = changed.find(({ name }) => name === "sk" || PARTITION_KEYS.includes(name));
  if (key !== undefined) throw validator.fail("a key of the table cannot be changed", key.at);
};

/**
 * Parses and validates a statement.
 * @throws DomainError `invalid_request` with the violated rule and its position
 */
export const validate = (source: string, parameters: readonly unknown[], { writes }: Rules): Statement => {
  requireNoSecretNamed(source, parameters);
  const statement = parse(source, parameters);
  const validator = openValidator(source, statement);
  if (statement.kind === "select") {
    validateSelect(validator, statement);
    return statement;
  }
  if (!writes) throw validator.fail("writing is not switched on in this deployment (INJECT_SQL_WRITES)", 0);
  if (statement.table.index !== null) throw validator.fail("an index cannot be written");
  if (statement.kind === "insert") {
    for (const key of ["pk", "sk"]) {
      const field = statement.item.find(({ name }) => name.name === key);
      if (field === undefined) throw validator.fail("a statement writes one item: VALUE must have pk and sk");
      validator.requireKeyText(key, field.value);
    }
  } else if (statement.kind === "update") {
    validateItemWrite(validator, [
      ...statement.set.map(({ path }) => path),
      ...(statement.remove === null ? [] : [statement.remove]),
    ]);
  } else validateItemWrite(validator, []);
  return statement;
};
