/**
 * Names: two that look alike share a key, so that only one of them is accepted; others share none. Invisible and
 * non-letter characters are rejected, and all spellings of a name are the same name. The model and the races test that
 * no player gets a name whose key is taken.
 */
import { describe, expect, it } from "vitest";
import { aliasError, foldAlias, isSameAlias } from "../../lib/domain/alias.ts";
import { lookAlikeKeys } from "../../lib/store/aliasGuards.ts";
import { part, randomFrom } from "../support/battery.ts";
import { oneOf } from "../support/oneOf.ts";
import { FOUR_BYTES, forbiddenNames } from "./names/forbidden.ts";
import { honestPairs } from "./names/honest.ts";
import { doublesOf, LETTERS, LOOKS, type Pair } from "./names/letters.ts";
import { lookAlikes } from "./names/lookAlikes.ts";

const lookAlike = (one: string, other: string): boolean => {
  const taken = new Set([...lookAlikeKeys(one), foldAlias(one)]);
  return [...lookAlikeKeys(other), foldAlias(other)].some((key) => taken.has(key));
};

/** A name with its code points. */
const shown = (name: string): string =>
  `${name} (${[...name].map((letter) => letter.codePointAt(0)?.toString(16)).join(" ")})`;

/** Expects two valid names to look alike, or not to, in either order. */
const expectPair = ({ one, other, by }: Pair, expected: boolean): void => {
  const say = `${shown(one)} and ${shown(other)}, ${by}`;
  expect([aliasError(one), aliasError(other)], say).toEqual([null, null]);
  expect([lookAlike(one, other), lookAlike(other, one)], say).toEqual([expected, expected]);
};

describe("two names", () => {
  const alike = part("names", { full: 500, of: "pairs of look-alikes", always: true });
  const apart = part("names", { full: 500, of: "pairs of different names", always: true });

  it("look alike by letters, case, form or composition", () => {
    for (const pair of lookAlikes(randomFrom(alike.seed, 1), alike.cases)) {
      expectPair(pair, true);
      alike.ran();
    }
  });

  it("look alike for every letter that Unicode calls confusable with a Latin letter or a digit", () => {
    const latin = LETTERS.flatMap((letter): Pair[] => {
      const look = LOOKS.get(letter) ?? "";
      const pair = { one: `Za${look}aZ`, other: `Za${letter}aZ`, by: "confusable letters" };
      return /^[A-Za-z0-9]$/.test(look) && aliasError(pair.other) === null ? [pair] : [];
    });
    expect(latin.length).toBeGreaterThan(700);
    for (const pair of latin) expectPair(pair, true);
  });

  it("do not look alike otherwise", () => {
    for (const pair of honestPairs(randomFrom(apart.seed, 2), apart.cases)) {
      expectPair(pair, false);
      apart.ran();
    }
  });
});

describe("a name with an invisible character, or one that is no letter", () => {
  const forbidden = part("names", { full: 2_000, of: "names with forbidden characters", always: true });

  it("is rejected", () => {
    for (const { name, why } of forbiddenNames(randomFrom(forbidden.seed, 3), 200)) {
      expect(aliasError(name), `${JSON.stringify(name)}, ${why}`).not.toBeNull();
      forbidden.ran();
    }
  });
});

/** Letters of several code points. They are counted in the stored form, which is composed where possible. */
const IN_PIECES: Record<string, (count: number) => string> = {
  "é in two pieces": (count) => "e\u0301".repeat(count),
  "Hangul in pieces": (count) => "\u1100\u1175\u11b7".repeat(count),
  "three marks to a letter, of which two go into it": (count) => `${"u\u0308\u0304".repeat(count - 1)}ỹ`,
  "a mark that goes into none": (count) => `${"x\u0302".repeat(count / 2)}${count % 2 === 0 ? "" : "y"}`,
  "Devanagari with its vowels": (count) => "कि".repeat(16).slice(0, count),
};

describe("the length of a name", () => {
  const counted = part("names", { full: 80, of: "names of minimum and maximum length", always: true });

  it("is from two to thirty letters, however many bytes they take", () => {
    const scripts = Object.entries(FOUR_BYTES).map(
      ([script, letter]) => [script, (count: number) => letter.repeat(count)] as const,
    );
    for (const [why, of] of [...scripts, ...Object.entries(IN_PIECES)]) {
      for (const count of [1, 2, 30, 31]) {
        const isValid = aliasError(of(count)) === null;
        expect(isValid, `${count} letters, ${why}`).toBe(count === 2 || count === 30);
        counted.ran();
      }
    }
  });
});

/** Spellings of a name that are the same name. */
const SPELLINGS: Record<string, (name: string) => string> = {
  "in capitals": (name) => name.toUpperCase(),
  "in small letters": (name) => name.toLowerCase(),
  "in NFD": (name) => name.normalize("NFD"),
  "in NFKC": (name) => name.normalize("NFKC"),
  "in NFKD": (name) => name.normalize("NFKD"),
  "in capitals, in NFD": (name) => name.toUpperCase().normalize("NFD"),
  "in wide letters": (name) =>
    name.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  "in bold letters": (name) =>
    name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a)),
};

describe("a name", () => {
  const known = part("names", { full: 400, of: "spellings of one name", always: true });

  it("is the same in every spelling, and not the same as one that only looks like it", () => {
    const random = randomFrom(known.seed, 4);
    const posing = doublesOf("W").filter((double) => double.normalize("NFKC") !== "W");
    for (let left = known.cases; left > 0; left -= Object.keys(SPELLINGS).length) {
      const letters = Array.from({ length: 4 }, () => oneOf(random, LETTERS.slice(0, 3_000)));
      const alias = `Wo ${letters.join("")}ßé`;
      expect(aliasError(alias), shown(alias)).toBeNull();
      for (const [how, spell] of Object.entries(SPELLINGS)) {
        expect(isSameAlias(alias, spell(alias)), `${shown(alias)} ${how}`).toBe(true);
        known.ran();
      }
      const poser = alias.replace("W", oneOf(random, posing));
      expect([isSameAlias(alias, poser), lookAlike(alias, poser)], shown(poser)).toEqual([false, true]);
    }
  });
});
