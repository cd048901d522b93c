/** Letters for names, by Unicode's data: letters that look alike, and letters that look like no other. */
import data from "unhomoglyph/data.json" with { type: "json" };
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";

/** What each text that is confusable looks like. */
export const LOOKS: ReadonlyMap<string, string> = new Map(Object.entries(data));

const LETTER = /^[\p{L}\p{Nd}]$/u;
const NAME = /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}]|[ _.-](?=[\p{L}\p{Nd}]))*$/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** Whether the contract allows the name, by its letters and their number. */
export const isName = (name: string): boolean => {
  const { length } = [...name.normalize("NFC")];
  return NAME.test(name.normalize("NFC")) && !UNSEEN.test(name) && length >= 3 && length <= 30;
};

/** Every letter and digit. */
export const LETTERS: readonly string[] = Array.from({ length: 0x32_400 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((letter) => LETTER.test(letter) && !UNSEEN.test(letter));

/** UTS #39, section 4: what a text looks like. */
const looks = (text: string): string =>
  [...text.normalize("NFD")]
    .map((letter) => LOOKS.get(letter) ?? letter)
    .join("")
    .normalize("NFD");

/** Letters by what they look like, where at least two look the same. */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(LETTERS, looks)].filter(([, letters]) => letters.length > 1),
);

/** Other letters that look the same as this one. */
export const doublesOf = (letter: string): string[] =>
  (FAMILIES.get(looks(letter)) ?? []).filter((double) => double !== letter);

/** Letters that look the same as this capital and still do in upper case. */
export const capitalDoublesOf = (capital: string): string[] =>
  doublesOf(capital).filter((double) => looks(double.normalize("NFKC").toUpperCase()) === looks(capital));

/** Letters with at least one other that looks the same. */
export const CONFUSABLE: readonly string[] = [...FAMILIES.values()].flat();

/** All letters that confusables look like. */
const SOMETHINGS_LOOK = new Set([...LOOKS.values()].flatMap((look) => [...look.normalize("NFKD")]));

const isPlain = (letter: string): boolean =>
  [letter, letter.toLowerCase(), letter.toUpperCase()].every(
    (form) =>
      [...form].length === 1 &&
      form.normalize("NFKD") === form &&
      !LOOKS.has(form) &&
      !SOMETHINGS_LOOK.has(form),
  );

/** Letters of one code point that look like no other of any script, in lower and upper case. */
export const UNMISTAKABLE: readonly string[] = LETTERS.filter(isPlain);

/** Latin letters that do not look like one another, and no two of which look like a third. */
export const STEM: readonly string[] = [..."abdefghjkpqstuyz"];

/** A word of such letters. */
export const stem = (random: Random, length: number): string =>
  Array.from({ length }, () => oneOf(random, STEM)).join("");

/** A different word of such letters for each number up to 4,095. */
export const stemOf = (number: number): string =>
  [...number.toString(16).padStart(3, "0")].map((digit) => STEM[Number.parseInt(digit, 16)]).join("");

/** The word with one letter replaced by a different one of `letters`. */
export const withAnother = (
  random: Random,
  word: readonly string[],
  letters: readonly string[],
): string[] => {
  const at = random.below(word.length);
  const others = letters.filter((letter) => letter.toLowerCase() !== word[at]?.toLowerCase());
  return word.with(at, oneOf(random, others));
};

/** Two names, and in which way they look alike or not. */
export interface Pair {
  one: string;
  other: string;
  by: string;
}

/** Pairs written as `one~other`, separated by commas. */
export const pairsIn = (text: string): Pair[] =>
  text.split(/,\s+/).map((pair) => {
    const [one = "", other = ""] = pair.trim().split("~");
    return { one, other, by: "by hand" };
  });
