/** Filter patterns of event sources, with the rules that `functions.yml` uses: exact values and prefixes. */
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";

type Test = (value: unknown) => boolean;

const Rule = z.union([z.string(), z.number(), z.boolean(), z.null(), z.strictObject({ prefix: z.string() })]);

const ruleOf = (rule: unknown): Test => {
  const parsed = Rule.safeParse(rule);
  if (!parsed.success)
    throw new UserError(`This filter rule is not supported locally: ${JSON.stringify(rule)}`);
  const wanted = parsed.data;
  if (typeof wanted !== "object" || wanted === null) return (value) => value === wanted;
  return (value) => typeof value === "string" && value.startsWith(wanted.prefix);
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Compiles a pattern: every field in it must exist and match one of the rules in its list.
 * @throws UserError if a rule is not supported
 */
export const compilePattern = (pattern: unknown): Test => {
  if (Array.isArray(pattern)) {
    const rules = pattern.map(ruleOf);
    return (value) => rules.some((holds) => holds(value));
  }
  if (!isObject(pattern)) throw new UserError(`This filter pattern is invalid: ${JSON.stringify(pattern)}`);
  const fields = Object.entries(pattern).map(([name, rule]): [string, Test] => [name, compilePattern(rule)]);
  return (value) =>
    isObject(value) &&
    fields.every(([name, holds]) => Object.hasOwn(value, name) && holds(Reflect.get(value, name)));
};
