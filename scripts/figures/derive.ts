/** Writes derived figures into a document: tables between markers, and numbers in sentences. */
import { UserError } from "../cli/userError.ts";

/** A document while figures are written into it. */
export interface Draft {
  /** Its path in the repository. */
  file: string;
  text: string;
  /** What was wrong in it, a line for each table or number. */
  changes: readonly string[];
}

/** What follows from a derived value. @throws UserError if the document has no place for it */
export type Derivation = (draft: Draft) => Draft;

/** The first line that differs, as it is and as it should be. */
const differenceOf = (is: string, should: string): string => {
  const [lines, wanted] = [is.split("\n"), should.split("\n")];
  const at = wanted.findIndex((line, n) => line !== lines[n]);
  return at < 0
    ? `has ${lines.length - wanted.length} lines too many`
    : `has "${lines[at] ?? ""}" for "${wanted[at]}"`;
};

/** Puts a text between `<!-- NAME -->` and `<!-- end of NAME -->`. */
export const section =
  (name: string, wanted: string): Derivation =>
  (draft) => {
    const { file, text, changes } = draft;
    const begin = `<!-- ${name} -->\n\n`;
    const [start, end] = [text.indexOf(begin), text.indexOf(`\n\n<!-- end of ${name} -->`)];
    if (start < 0 || end < start) throw new UserError(`${file} has no section ${name}.`);
    const from = start + begin.length;
    const is = text.slice(from, end);
    if (is === wanted) return draft;
    return {
      file,
      text: `${text.slice(0, from)}${wanted}${text.slice(end)}`,
      changes: [...changes, `${file}, section ${name}: ${differenceOf(is, wanted)}`],
    };
  };

/** The numbers, amounts and dates that a sentence may have in place of a figure. */
const FIGURE = "([\\d,.-]*\\d)";

/**
 * Puts figures into a sentence.
 * @param pattern the sentence, with the name of a figure in braces in place of each; it may be wrapped into lines
 * @param figures the figures by name
 */
export const sentence =
  (pattern: string, figures: ReadonlyMap<string, string>): Derivation =>
  (draft) => {
    const { file, text, changes } = draft;
    const names = [...pattern.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
    const source = pattern
      .split(/\{[^}]+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+"))
      .join(FIGURE);
    const found = new RegExp(source, "d").exec(text);
    if (found?.indices === undefined) throw new UserError(`${file} has no sentence "${pattern}".`);
    const wrong: string[] = [];
    let changed = text;
    // From the last to the first, so that the places of those before stay right.
    for (const [at, name] of [...names.entries()].toReversed()) {
      const [from, to] = found.indices[at + 1] ?? [0, 0];
      const value = figures.get(name);
      if (value === undefined) throw new Error(`there is no figure ${name}`);
      if (text.slice(from, to) === value) continue;
      wrong.unshift(`${file}: ${name} is ${value}, not ${text.slice(from, to)}`);
      changed = `${changed.slice(0, from)}${value}${changed.slice(to)}`;
    }
    return { file, text: changed, changes: [...changes, ...wrong] };
  };
