/** Aliases: which are valid, and which two are the same. Which look like one another is in tests/battery/names.test.ts. */
import fc from "fast-check";
import unhomoglyph from "unhomoglyph";
import { describe, expect, it } from "vitest";
import { aliasError, foldAlias, isSameAlias, normalizeAlias } from "../../lib/domain/alias.ts";
import { lookAlikeKeys } from "../../lib/store/aliasGuards.ts";
import { keys } from "../../lib/store/keys.ts";
import { drawnOf, IS_WHOLE } from "../support/battery.ts";
import { anyCharacter } from "../support/codePoints.ts";
import { SLOW } from "./support.ts";

const bytes = (text: string): number => Buffer.byteLength(text);

/** Every `step`-th letter of Unicode from a code point on, without halves of surrogate pairs. */
function* lettersFrom(first: number, last: number, step = 1): Generator<string> {
  for (let point = first; point <= last; point += step) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

/** `a: b, c | d: e` as pairs: [a, b], [a, c], [d, e]. */
const pairsOf = (text: string): [string, string][] =>
  text
    .split(/[|\n]/)
    .filter((entry) => entry.trim() !== "")
    .flatMap((entry) => {
      const [one = "", others = ""] = entry.trim().split(": ");
      return others.split(", ").map((other): [string, string] => [one, other]);
    });

describe("folding", () => {
  it("is idempotent for every code point", SLOW, () => {
    // At quick scale every seventh code point, with another remainder in each run.
    const [first, step] = IS_WHOLE ? [0, 1] : [drawnOf(7, "code points"), 7];
    const wrong: string[] = [];
    let counted = 0;
    for (const letter of lettersFrom(first, 0x10ffff, step)) {
      const text = `a${letter}b`;
      const folded = foldAlias(text);
      const others = [folded, text.normalize("NFD")].filter((other) => other !== text);
      if (others.some((other) => foldAlias(other) !== folded)) wrong.push(letter);
      counted += 1;
    }
    expect(wrong).toEqual([]);
    expect(counted).toBeGreaterThan(0x10f000 / step - 2_000);
  });

  it("is idempotent for words of any letters, and ignores composition and case", SLOW, () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), (word) => {
        const folded = foldAlias(word);
        expect(foldAlias(folded)).toBe(folded);
        expect(foldAlias(normalizeAlias(word))).toBe(foldAlias(word.trim()));
        expect(foldAlias(word.toUpperCase().toLowerCase())).toBe(foldAlias(folded));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(
    pairsOf(`Ada: ADA | Ivy: ivy | Straße: STRASSE, strasse | Cléo: CLÉO, Cle\u0301o | Ａｄａ: Ada | ﬁona: Fiona
      ΟΔΥΣΣΕΥΣ: οδυσσευς | Ольга: ОЛЬГА | x²y3: x2y3 | ʻOkina: ʻokina | ΑΣ: ασ`),
  )("takes %s and %s for one name", (one, other) => {
    expect(foldAlias(one)).toBe(foldAlias(other));
    expect(isSameAlias(one, other)).toBe(true);
  });

  it.each(pairsOf("Ada: Adá, Adda | Ann Other: Ann_Other | Ann.Other: Ann-Other | Иван: Ива́н | Ηλίας: Ηλία"))(
    "takes %s and %s for two names",
    (one, other) => {
      expect(foldAlias(one)).not.toBe(foldAlias(other));
      expect(isSameAlias(one, other)).toBe(false);
    },
  );
});

describe("an alias", () => {
  const LENGTH = "must have 2 to 30 characters";
  const notAllowed = (character: string): string =>
    `must not have the character ${character}: letters and digits are allowed, and between them a space, _ - . or '`;
  const UNFOLDABLE = "is too long or too short when its letters are normalized";

  it.each([
    ["a", LENGTH],
    [" a ", LENGTH],
    ["Bo", null],
    [" Ada\n", null],
    ["O'Neil", null],
    ["O\u2019Neil", null],
    ["O''Neil", "must have a letter or a digit before ' (U+0027)"],
    ["'Neil", "must not begin with ' (U+0027)"],
    ["Ada_", "must not end with _ (U+005F)"],
    ["A  da", "must have a letter or a digit before a space"],
    ["Ada\u200bL", "must not have the character U+200B, which is not visible"],
    ["\u0301Ada", "must have a letter before the combining mark U+0301"],
    ["Ada -\u0301b", "must have a letter or a digit before - (U+002D)"],
    ["A\u0323\u0324\u0325\u0326\u0327", "must not have so many combining marks on one letter as on Ạ"],
    // Burmese, with five marks on one letter, of which two stand above or below it.
    ["လျှော့", null],
    ["x".repeat(31), LENGTH],
    ["𝒳".repeat(31), LENGTH],
    ["Ada!", notAllowed("! (U+0021)")],
    ["ㄱㅏ", UNFOLDABLE], // becomes one letter when folded
    ["ﬃ".repeat(21), UNFOLDABLE], // becomes three letters each
    ["ﬃ".repeat(20), null],
  ])("%s is checked with the reason", (alias, reason) => {
    expect(aliasError(alias)).toBe(reason);
  });

  it.each(
    `Ada, abc, 007, Ann Other, ann_other, ann-other, J.R.R.Tolkien, a_b-c.d e, ${"x".repeat(30)}
    ${"𝒳".repeat(30)}, 𐐷𐐷𐐷, 李小龍, さくら, 김연아, अनन्या, विराट कोहली, สมชาย, น้ำฝน, محمد, فاطمة الزهراء, שָׁלוֹם
    Ольга, Ελένη, Nguyễn Thị, Ağaoğlu, Ærøskøbing, தமிழ்செல்வி, ქეთევან, Արմեն, አበበ, ٣٤٥`.split(/, |\n\s+/),
  )("may be %s", (alias) => expect(aliasError(alias)).toBeNull());

  it.each(["Nguyễn Thị Minh Khai Thảo Vân", "김연아김연아김연아김연아", "Ằẵậ Ộổỡ Ựữử Ếềể Ốồộ"])(
    "is checked in its composed form: %s",
    (alias) => {
      for (const form of ["NFC", "NFD"]) expect(aliasError(alias.normalize(form)), form).toBeNull();
    },
  );
});

describe("the keys of an alias", () => {
  /** The keys and texts of an alias that are empty or too long. An `expect` for each would take most of the time. */
  const misfitsOf = (alias: string): string[] => {
    const folded = foldAlias(alias);
    const looks = lookAlikeKeys(alias);
    // The longest key with a name in it: an idempotency record of a registration.
    const response = keys.response(`NEW#${folded}`, "k".repeat(128));
    const all = [keys.alias(folded), ...looks.map(keys.look), response];
    const isLong = all.some(({ pk, sk }) => bytes(pk) > 2_048 || bytes(sk) > 1_024) || bytes(folded) > 1_024;
    return [...(looks.includes("") ? [`${alias} looks like nothing`] : []), ...(isLong ? [alias] : [])];
  };

  it("fit into the table for the longest run of every letter that folds", SLOW, () => {
    const misfits: string[] = [];
    let counted = 0;
    for (const letter of lettersFrom(0, 0x3ffff)) {
      if (!/[\p{L}\p{M}\p{Nd}]/u.test(letter)) continue;
      // Of the letters that stay as they are, every hundredth.
      const isPlain = foldAlias(letter) === letter && unhomoglyph(letter) === letter;
      if (isPlain && (letter.codePointAt(0) ?? 0) % 101 !== 0) continue;
      const alias = [30, 20, 10, 3]
        .map((times) => letter.repeat(times))
        .find((text) => aliasError(text) === null);
      if (alias === undefined) continue;
      misfits.push(...misfitsOf(alias));
      counted += 1;
    }
    expect(misfits).toEqual([]);
    expect(counted).toBeGreaterThan(4_000);
  });

  it("fit into the table for any valid alias", SLOW, () => {
    const letters = [...lettersFrom(0x20, 0x2ffff)].filter(
      (letter) =>
        /[\p{L}\p{M}\p{Nd}]/u.test(letter) &&
        (bytes(unhomoglyph(foldAlias(letter))) > 4 || (letter.codePointAt(0) ?? 0) % 97 === 0),
    );
    const alias = fc.string({ unit: fc.constantFrom(...letters), minLength: 3, maxLength: 30, size: "max" });
    fc.assert(
      fc.property(alias, (text) => {
        fc.pre(aliasError(text) === null);
        expect(misfitsOf(text)).toEqual([]);
      }),
      { numRuns: 1_000, maxSkipsPerRun: 1_000 },
    );
  });
});
