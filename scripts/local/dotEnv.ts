/** Reads the settings files `.env` and `.env.STAGE`, and finds misspelt names and values that are not what was meant. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { closestMatch } from "../cli/closestMatch.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

/** The file that documents all settings. */
const EXAMPLE = ".env.example";

/** Names of Node.js, npm, the AWS SDK, the framework and proxies. */
const FOREIGN_NAMES = /^(AWS|NODE|NPM|SLS)_|_PROXY$/i;

const settingNames = (): string[] => {
  const example = join(ROOT, EXAMPLE);
  if (!existsSync(example)) return [];
  return [...readFileSync(example, "utf8").matchAll(/^(?:# )?([A-Z][A-Z\d_]*)=/gm)].map(
    ([, name = ""]) => name,
  );
};

/** Returns a warning for each unknown name, without a full stop. */
export const unknownNames = (file: string, names: readonly string[], known: readonly string[]): string[] =>
  names
    .filter((name) => !known.includes(name) && !FOREIGN_NAMES.test(name))
    .map((name) => {
      const meant = closestMatch(name, known);
      const hint = meant === null ? `${EXAMPLE} lists all settings` : `the closest setting is ${meant}`;
      return `${name} in ${file} is not a setting and is ignored; ${hint}`;
    });

/** Returns a warning for each value without quotes in which a # follows a character, and so is hardly meant as a comment. */
const cutValues = (file: string, text: string): string[] =>
  [...text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=(?!\s*["'`])(?:[^#\n]*\S)?#/gm)].map(
    ([, name]) => `${name} in ${file} ends before a #, which begins a comment: put the value into quotes`,
  );

/** Returns a warning for each value whose quote does not end in its line: it keeps the quote, or has the lines that follow. */
const openQuotes = (file: string, text: string): string[] =>
  [...text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=[ \t]*(["'`])(?:(?!\2).)*$/gm)].map(
    ([, name]) => `${name} in ${file} begins with a quote that does not end in its line`,
  );

/** Returns a warning for each value with a character that could not be decoded. */
const undecoded = (file: string, settings: NodeJS.Dict<string>): string[] =>
  Object.entries(settings)
    .filter(([, value]) => value?.includes("\uFFFD"))
    .map(([name]) => `${name} in ${file} has characters that are not UTF-8: save the file as UTF-8`);

/** Text as editors and shells of Windows save it, too: with a byte order mark, which is dropped, and in UTF-16. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8").decode(bytes);

/** The contents of a settings file. */
export interface DotEnv {
  settings: NodeJS.Dict<string>;
  /** Warnings about names and values, without a full stop. */
  warnings: string[];
}

/**
 * Reads a settings file in the root of the repository.
 * @returns null if it does not exist
 * @throws UserError if it cannot be read
 */
export const readDotEnv = (file: string): DotEnv | null => {
  const path = join(ROOT, file);
  if (!existsSync(path)) return null;
  let text: string;
  let settings: NodeJS.Dict<string>;
  try {
    text = textOf(readFileSync(path));
    settings = parseEnv(text);
  } catch (error) {
    throw new UserError(`The file ${file} cannot be read: ${messageOf(error)}`);
  }
  const known = settingNames();
  const unknown = known.length === 0 ? [] : unknownNames(file, Object.keys(settings), known);
  const misread = [...cutValues(file, text), ...openQuotes(file, text), ...undecoded(file, settings)];
  return { settings, warnings: [...unknown, ...misread] };
};

/** Adds settings to the environment of this process; existing variables take precedence. */
export const applyDotEnv = ({ settings }: DotEnv): void => {
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value;
};
