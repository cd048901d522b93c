/**
 * Evaluates CloudWatch filter patterns of the kind that resources/logs.yml uses: JSON fields compared with strings.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";

const FIELD = /^\s*\(\$\.(\w+)\s*(=|!=)\s*(?:"([^"]*)"|\*)\)\s*$/;

const Filters = z.object({
  RefusalsByCode: z.object({ Properties: z.object({ FilterPattern: z.string() }) }),
});

/** Returns the pattern that counts rejected requests. */
export const refusalPattern = (): string => {
  // References are parsed as plain strings.
  const tags = [{ tag: "!Ref", resolve: String }];
  const text = readFileSync(join(ROOT, "resources/logs.yml"), "utf8");
  return Filters.parse(parse(text, { customTags: tags })).RefusalsByCode.Properties.FilterPattern;
};

/** Compiles a pattern; a bare `*` matches any value. @throws Error for an unsupported condition */
export const filterOf = (pattern: string): ((line: string) => boolean) => {
  const [, conditions = ""] = /^\{(.*)\}$/.exec(pattern.trim()) ?? [];
  const tests = conditions.split("&&").map((condition) => {
    const [, name, operator, wanted] = FIELD.exec(condition) ?? [];
    if (name === undefined) throw new Error(`not a condition that is known here: ${condition}`);
    return (line: object): boolean => {
      const value: unknown = Reflect.get(line, name);
      const isThere = wanted === undefined ? value !== undefined : value === wanted;
      return isThere === (operator === "=");
    };
  });
  return (line) => {
    if (!line.startsWith("{")) return false;
    const parsed: object = JSON.parse(line);
    return tests.every((holds) => holds(parsed));
  };
};
