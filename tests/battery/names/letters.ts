/** Letters for names, from Unicode's data: which look alike, and which look like no other. */
import data from "unhomoglyph/data.json" with { type: "json" };
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";

/** What each text that is confusable looks like. */
export const LOOKS: ReadonlyMap<string, string> = new Map(Object.entries(data));

const LETTER = /^[\p{L}\p{Nd}]$/u;
const NAME = /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}]|[ _.-](?=[\p{L}\p{Nd}]))*$/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** Whether the contract lets a name be one, by its letters and their number. */
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

/** Letters that look the same as this one, itself left out. */
export const doublesOf = (letter: string): string[] =>
  (FAMILIES.get(looks(letter)) ?? []).filter((double) => double !== letter);

/** Letters that look the same as this capital, and do not become another one when they are written as capitals. */
export const capitalDoublesOf = (capital: string): string[] =>
  doublesOf(capital).filter((double) => looks(double.normalize("NFKC").toUpperCase()) === looks(capital));

/** Letters that have doubles. */
export const CONFUSABLE: readonly string[] = [...FAMILIES.values()].flat();

/** All that a confusable looks like, letter by letter. */
const SOMETHINGS_LOOK = new Set([...LOOKS.values()].flatMap((look) => [...look.normalize("NFKD")]));

const isPlain = (letter: string): boolean =>
  [letter, letter.toLowerCase(), letter.toUpperCase()].every(
    (form) =>
      [...form].length === 1 &&
      form.normalize("NFKD") === form &&
      !LOOKS.has(form) &&
      !SOMETHINGS_LOOK.has(form),
  );

/** Letters that look like no other of any script, in small and in capitals, and are in one piece. */
export const UNMISTAKABLE: readonly string[] = LETTERS.filter(isPlain);

/** Letters of the Latin script that look neither like one another nor, two by two, like a third. */
export const STEM: readonly string[] = [..."abdefghjkpqstuyz"];

/** A word of such letters. */
export const stem = (random: Random, length: number): string =>
  Array.from({ length }, () => oneOf(random, STEM)).join("");

/** A word of such letters for each number up to 4,095, another one for each. */
export const stemOf = (number: number): string =>
  [...number.toString(16).padStart(3, "0")].map((digit) => STEM[Number.parseInt(digit, 16)]).join("");

/** A word with another letter in the place of one; the others are given. */
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
