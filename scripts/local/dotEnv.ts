/** Files of settings, `.env` and `.env.STAGE`, and names in them that are misspelt. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { closestMatch } from "../cli/closestMatch.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

/** The file that explains every setting, and so has the name of each. */
const EXAMPLE = ".env.example";

/** Settings of Node.js, npm, the AWS SDK, the framework and proxies, which are not ours to know. */
const OF_OTHERS = /^(AWS|NODE|NPM|SLS)_|_PROXY$/i;

const settingNames = (): string[] => {
  const example = join(ROOT, EXAMPLE);
  if (!existsSync(example)) return [];
  return [...readFileSync(example, "utf8").matchAll(/^(?:# )?([A-Z][A-Z\d_]*)=/gm)].map(
    ([, name = ""]) => name,
  );
};

/** What is to be said of each name that no setting has: a sentence without its full stop. */
export const unknownNames = (file: string, names: readonly string[], known: readonly string[]): string[] =>
  names
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .map((name) => {
      const meant = closestMatch(name, known);
      const hint = meant === null ? `${EXAMPLE} has those that there are` : `the nearest is ${meant}`;
      return `${name} in ${file} is not a setting, and nothing reads it; ${hint}`;
    });

/** A file of settings that was read. */
export interface DotEnv {
  settings: NodeJS.Dict<string>;
  /** What is to be said of its names: a sentence each, without the full stop. */
  warnings: string[];
}

/**
 * Reads a file of settings beside `package.json`.
 * @returns null when there is no such file
 * @throws UserError when it cannot be read
 */
export const readDotEnv = (file: string): DotEnv | null => {
  const path = join(ROOT, file);
  if (!existsSync(path)) return null;
  let settings: NodeJS.Dict<string>;
  try {
    settings = parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UserError(`The file ${file} cannot be read: ${messageOf(error)}`);
  }
  const known = settingNames();
  return { settings, warnings: known.length === 0 ? [] : unknownNames(file, Object.keys(settings), known) };
};

/** Puts settings into the environment of this process, whose own come first. */
export const applyDotEnv = ({ settings }: DotEnv): void => {
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value;
};
