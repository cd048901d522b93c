import unhomoglyph from "unhomoglyph";
import confusables from "unhomoglyph/data.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { foldAlias, isSameAlias, normalizeAlias } from "../../lib/domain/accounts/alias.ts";
import { aliasError, aliasIssue } from "../../lib/domain/accounts/aliasRules.ts";
import { lookAlikeKeys } from "../../lib/store/accounts/aliasGuards.ts";
import { keys } from "../../lib/store/keys.ts";
import { IS_WHOLE, SEED } from "../support/battery.ts";

/** Every `step`-th letter of Unicode from a code point on, without halves of surrogate pairs. */
function* lettersFrom(first: number, last: number, step = 1): Generator<string> {
  for (let point = first; point <= last; point += step) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

/** Unless lists are tested whole, every seventh code point and pair; the seed chooses the first. */
const [FIRST, STEP] = IS_WHOLE ? [0, 1] : [SEED % 7, 7];
console.info(`code points: the part ${FIRST + 1} of ${STEP}, seed ${SEED}`);
const CODE_POINTS = [...lettersFrom(FIRST, 0x10ffff, STEP)];

const LETTERS = [...lettersFrom(0, 0x323af)].filter(
  (letter) => /^[\p{L}\p{Nd}]$/u.test(letter) && aliasError(`Z${letter}${letter}e`) === null,
);

/** `a: b, c | d: e` as pairs: [a, b], [a, c], [d, e]. */
const pairsOf = (text: string): [string, string][] =>
  text.split(/[|\n]/).flatMap((entry) => {
    const [one = "", others = ""] = entry.trim().split(": ");
    return others.split(", ").map((other): [string, string] => [one, other]);
  });

it("folding is idempotent for every code point", () => {
  const wrong = CODE_POINTS.filter((letter) => {
    const text = `a${letter}b`;
    const folded = foldAlias(text);
    const others = [folded, text.normalize("NFD"), normalizeAlias(` ${text}\n`)];
    return others.some((other) => other !== text && foldAlias(other) !== folded);
  });
  expect(wrong).toEqual([]);
});

describe("names of people", () => {
  it("are valid, and are shown as they are written", () => {
    const names =
      `Robert Downey Jr., J. R. Smith, J.R. Smith, St. John, van 't Hoff, 't Hoen, D' Angelo, J.-P. Sartre, O'Brien, N'Golo
      Jesus', Ada, abc, 007, ann_other, J.R.R.Tolkien, a_b-c.d e, ${"x\u0302".repeat(15)}, ${"कि".repeat(15)}, 李小龍, さくら
      अनन्या, น้ำฝน, محمد, שָׁלוֹם, Ольга, Ελένη, Nguyễn Thị Minh Khai Thảo Vân, Ağaoğlu, Ærøskøbing, தமிழ்செல்வி, ქეთევან
      Արմեն, አበበ, ٣٤٥, 김연아김연아김연아김연아, Ằẵậ Ộổỡ Ựữử Ếềể Ốồộ, 李, 설, あ, ア, 王小明, 王 小明, 迪丽热巴·迪力木拉提, ジョン・スミス, マリー, 佐々木, 山田 太郎, 김 연아, 남궁민수
      Gal·la, Paral·lel, GAL·LA, Björk Guðmundsdóttir, Straße, İpek, Işık, Đặng Thị, Łukasz, Øyvind, Æther, Ng
      علی\u200cرضا, می\u200cخواهم, فاطمة الزهراء, عبدالله, ז׳בוטינסקי, צה״ל, בן־גוריון, בן גוריון, བསྟན་འཛིན
      ক্\u200cষ, র\u200d্যাচেল, അനില്\u200d, क्\u200dष, ශ්\u200dරී, विराट कोहली, สมชาย, Nguyễn Thị Minh`.split(
        /, |\n\s+/,
      );
    expect(names.filter((name) => aliasError(name) !== null || normalizeAlias(name) !== name)).toEqual([]);
    const decomposed = names.map((name) => name.normalize("NFD"));
    expect(decomposed.filter((name) => aliasError(name) !== null)).toEqual([]);
    // Each is itself, and no two of them are the same but these.
    const owners = new Map<string, string>();
    const same = names.filter((name) => {
      const folded = foldAlias(name);
      const isOwned = owners.has(folded);
      owners.set(folded, name);
      return isOwned || !isSameAlias(name, name.normalize("NFD")) || !isSameAlias(name, ` ${name} `);
    });
    expect(same).toEqual(["J.R. Smith", "GAL·LA"]);
  });

  it.each([
    [" Robert \u00a0 Downey\u202fJr.\u3000", "Robert Downey Jr."],
    ["O’Brien", "O'Brien"],
    ["Anne‐Marie", "Anne-Marie"],
    // The keyboard leaves a joiner where the word ended, or sets one after a letter that joins no other.
    ["می\u200c", "می"],
    ["محمد\u200cرضا", "محمدرضا"],
    ["علی\u200c رضا", "علی رضا"],
  ])("%j is stored as %j", (typed, stored) => {
    expect([aliasError(typed), normalizeAlias(typed)]).toEqual([null, stored]);
    expect(isSameAlias(typed, stored)).toBe(true);
  });

  it.each([
    ["Robert Downey, Jr.", "Robert Downey Jr.", ",", "U+002C"],
    ["👻 Ada", "Ada", "👻", "U+1F47B"],
    ["Ada\u200bL", "AdaL", "\u200b", "U+200B"],
    ["Ada (she/her)", "Ada she her", "(", "U+0028"],
    ["Ada—Lou", "Ada-Lou", "—", "U+2014"],
    ["Henry Ⅷ", "Henry VIII", "Ⅷ", "U+2167"],
    ["Ada - Ben", "Ada Ben", "-", "U+002D"],
    ["_Ada_", "Ada", "_", "U+005F"],
    ['צה"ל', "צה״ל", '"', "U+0022"],
    ["x".repeat(31), "x".repeat(30), undefined, undefined],
    ["!!", undefined, "!", "U+0021"],
    ["a", undefined, undefined, undefined],
  ])(
    "of %j, the nearest valid alias is %j, since %j is at fault",
    (typed, suggestion, character, code_point) => {
      const { suggestion: nearest, ...fault } = aliasIssue(typed)?.params ?? {};
      expect([nearest, fault.character, fault.code_point]).toEqual([suggestion, character, code_point]);
    },
  );

  it("have a valid suggestion whatever is typed, if any", () => {
    const typed = CODE_POINTS.filter((character) => /\P{C}/u.test(character)).map(
      (character) => `${character}Zo${character}e ${character}${character}`,
    );
    const wrong = typed.filter((text) => {
      const { params } = aliasIssue(text) ?? {};
      // One of undefined is no valid alias either.
      return params !== undefined && aliasError(params.suggestion ?? "") !== null;
    });
    expect(wrong).toEqual([]);
  });
});

describe("two names", () => {
  const keysOf = (alias: string): string[] => [...lookAlikeKeys(alias), foldAlias(alias)];

  /** The pairs with an invalid name, and those that share a key although they should not, or the reverse. */
  const wrongAmong = (pairs: readonly [string, string][], areAlike: boolean): [string, string][] =>
    pairs.filter(([one, other]) => {
      const isTaken = new Set(keysOf(one)).intersection(new Set(keysOf(other))).size > 0;
      return aliasError(one) !== null || aliasError(other) !== null || isTaken !== areAlike;
    });

  it("look alike by letters, case, form or composition", () => {
    const pairs =
      pairsOf(`Oliver: 0liver, OIiver, О1ivеr | Io100: IoIOO | lll111: Il1l1I | Agent 007: Agent OO7 | O0oO: oO0o
      Barnum: Bamum | burner: bumer | Morn: Mom | rnrnrn: mmm | corn-flower: com-flower | Straße: STRAẞE, ﬆraſſe
      Größe: GRÖSSE | İpek: i\u0307pek | Işık: ışık | Ilgın: ilgin | Ali: Alı | Kim: КIM | Mia: МIA, ᎷᎥa
      ŉandu: ʼnandu | Ǆoka: ǆoka, DŽoka | οδος: ΟΔΟΣ, οδοσ | ΐδα: ι\u0308\u0301δα | Ά\u0345δα: ᾴδα
      Москва: МОСКВА, Mосква | Rаschel: Raschel | Сосо: Coco | Саша: Caшa | ЅЈѕј: SJsj | Ոսկե: nսկե | եւա: ԵՒԱ
      ﬓաս: մնաս | Ａｎｎｅ: Anne, ANNE | 𝓐𝓷𝓷𝓮: 𝕬𝖓𝖓𝖊 | Anne𝟘: AnneO | Anne𝟙: Annel | ｶﾞﾌﾞﾗ: ガブラ | ㄱㄴㄷ: \u1100\u1102\u1103
      김연아: \u1100\u1175\u11b7\u110b\u1167\u11ab\u110b\u1161 | ậba: a\u0302\u0323ba | q\u0323\u0307a: q\u0307\u0323a
      Robert Downey Jr.: Robert Downey Jr | J. R. Smith: J.R. Smith, J.R.Smith | 't Hoen: t Hoen | D' Angelo: D'Angelo
      علی\u200cرضا: علیرضا | ক্\u200cষ: ক্ষ | Gal·la: Gal.la, Gaŀla | ジョン・スミス: ジョン·スミス, ジョン.スミス
      ז׳בוטינסקי: ז'בוטינסקי | בן־גוריון: בן-גוריון | 'Okina: ʻOkina | Ka 'Okina: Ka ʻOkina | van 't Hoff: van t Hoff, vаn 't Hoff
      O'Brien: O’Brien | 二: ニ | 工: エ
      ﻋﻠﻲ: علي | ﷲab: اللهab | \u0663\u0664\u0665: \u06f3\u0664\u0665 | क़मर: क\u093cमर`);
    expect(wrongAmong(pairs, true)).toEqual([]);
  });

  it("look alike by every letter that looks like another, and by every form of a letter", () => {
    const looks = new Map(Object.entries(confusables));
    // A letter that can be decomposed looks like its parts, each of which has a look of its own.
    const lookOf = (letter: string) => (letter.normalize("NFD") === letter ? looks.get(letter) : undefined);
    const pairs = LETTERS.flatMap((letter) =>
      ["NFKC", "NFD"]
        .map((form) => letter.normalize(form))
        .concat(lookOf(letter) ?? [], letter.toUpperCase(), letter.toLowerCase())
        .filter((other) => other !== letter && aliasError(`za${other}az`) === null)
        .map((other): [string, string] => [`za${other}az`, `za${letter}az`]),
    );
    expect(pairs.length).toBeGreaterThan(20_000);
    const some = pairs.filter((_, n) => n % STEP === FIRST);
    expect(wrongAmong(some, true)).toEqual([]);
    // Letters may look like a capital only: КIM for Kim.
    const posing = LETTERS.flatMap((letter) => {
      const capital = lookOf(letter) ?? "";
      const isPosing = /^[A-Z]$/.test(capital) && letter.normalize("NFKC").toUpperCase() === letter;
      return isPosing ? [[`${capital.toLowerCase()}im`, `${letter}IM`] as [string, string]] : [];
    });
    expect(posing.length).toBeGreaterThan(100);
    expect(wrongAmong(posing, true)).toEqual([]);
  });

  it("do not look alike otherwise", () => {
    const pairs =
      pairsOf(`Elia: Ella | Emilia: Emilla | Mario: Marlo | Ann Other: Ann_Other | Ann-Other: Ann.Other
      JR Smith: J.R. Smith | Galla: Gal·la | 王小明: 王 小明 | 李: 季 | בן גוריון: בן־גוריון
      Noone: No-one | Zoë: Zoe | René: Rene | Øystein: Oystein | Łukasz: Lukasz | Željko: Zeljko | ñandú: nandu
      Иван: Ivan | Юлия: Юлій | Ёлка: Елка | Γιώργος: Γιώργης | הראל: הראלה | محمد: محمدي | आरव: आरवी | สมศรี: สมศักดิ์
      ひまわり: ヒマワリ | 小林一: 小森一 | 김민준: 김민중 | Անի: Անին | ანა: ანო | player2: player3 | 22222: 33333 | ٢٢٢: ٣٣٣
      Ada: Adaa, Ada7, AdaЖ, Ada語, Ada한, Adaա, Ada\u0308`);
    expect(wrongAmong(pairs, false)).toEqual([]);
    // No two of the letters that look like no other share a key.
    const shapes = new Set(Object.values(confusables).flatMap((look) => [...look.normalize("NFKD")]));
    const isPlain = (form: string) =>
      form.normalize("NFKD") === form && !(form in confusables) && !shapes.has(form);
    const owners = new Map<string, string>();
    const shared: string[] = [];
    for (const letter of IS_WHOLE ? LETTERS : LETTERS.filter((one) => !/\p{Script=Han}/u.test(one))) {
      const capital = letter.toUpperCase();
      if (capital.toLowerCase() !== letter || ![letter, capital].every(isPlain)) continue;
      for (const key of keysOf(`ab${letter}`)) {
        if ((owners.get(key) ?? letter) !== letter) shared.push(letter);
        owners.set(key, letter);
      }
    }
    expect(shared).toEqual([]);
    expect(owners.size).toBeGreaterThan(IS_WHOLE ? 50_000 : 5_000);
  });
});

describe("an alias", () => {
  const LENGTH = "must have 2 to 30 characters";
  const notAllowed = (character: string): string =>
    `must not have the character ${character}: letters and digits are allowed, and between them a space, _ - . or '`;
  const JOINED = "after a virama, or between two Arabic letters that would join without it";
  const UNFOLDABLE = "is too long or too short when its letters are normalized";

  it.each([
    [" a ", LENGTH],
    ["a.", UNFOLDABLE],
    [" Ada\n", null],
    ["O''Neil", "must have a letter or a digit before ' (U+0027)"],
    [".Neil", "must not begin with . (U+002E)"],
    ["Ada_", "must not end with _ (U+005F)"],
    ["Ada - Ben", "must have a letter or a digit before - (U+002D)"],
    ["Ada\u200bL", "must not have the character U+200B (zero width space), which is not visible"],
    ["Ada\u200cL", `may have U+200C (zero width non-joiner) only ${JOINED}`],
    ["Gal·a", "may have · (U+00B7) only between two l, or between two Chinese or Japanese letters"],
    ["Ada׳", "may have ׳ (U+05F3) only after a Hebrew letter"],
    ["\u0301Ada", "must have a letter before the combining mark U+0301"],
    ["A\u0323\u0324\u0325\u0326\u0327", "has too many combining marks on the letter Ạ"],
    // Burmese, with five marks on one letter, of which two stand above or below it.
    ["လျှော့", null],
    ["Ada!", notAllowed("! (U+0021)")],
    ["ㄱㅏ", null], // becomes one letter when folded, 가
    ["ﬃ".repeat(21), UNFOLDABLE], // becomes three letters each
    ["ﬃ".repeat(20), null],
  ])("%j has the error %j", (alias, reason) => {
    expect(aliasError(alias)).toBe(reason);
  });

  it("has two to thirty letters of any script, composed where possible", () => {
    for (const letter of [..."x𐐀𐑐𒀀𓀀𞤀𑄶𗀀𠀀𰀀𝐀𝒳", "e\u0301", "\u1100\u1175\u11b7", "u\u0308\u0304"]) {
      const reasons = [1, 2, 30, 31].map((times) => aliasError(letter.repeat(times)));
      const isName = /\p{Script=Han}|\u1100/u.test(letter);
      expect(reasons, letter).toEqual([isName ? null : LENGTH, null, null, LENGTH]);
    }
  });

  it("has only visible letters, digits, marks and separators, and no emoji", () => {
    const accepted = CODE_POINTS.filter((character) => {
      const isVisible = !/\p{Default_Ignorable_Code_Point}/u.test(character);
      if (isVisible && /[\p{L}\p{M}\p{Nd}\p{Zs} _.'\u2018\u2019\u201b\u2010-\u2013\u2212-]/u.test(character))
        return false;
      // White space around a name is trimmed.
      const places = [`Z${character}oe`, ...(character.trim() === "" ? [] : [`Zoe${character}`])];
      return places.some((text) => aliasError(text) === null);
    });
    const emoji = "👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🏴‍☠️ 🇨🇭 🏴󠁧󠁢󠁳󠁣󠁴󠁿 1️⃣ 👍🏽 ❤️ a\u{fe0f} क\u200dष क\u200c \ud83d \udc00".split(
      " ",
    );
    expect(accepted).toEqual([]);
    expect(emoji.filter((sequence) => aliasError(`Zo${sequence}e`) === null)).toEqual([]);
  });
});

it("the keys of the longest alias of each letter that folds fit into the table", () => {
  const bytes = (text: string): number => Buffer.byteLength(text);
  // An `expect` for each alias would take most of the time.
  const misfits: string[] = [];
  let counted = 0;
  for (const letter of lettersFrom(0, 0x3ffff)) {
    if (!/[\p{L}\p{M}\p{Nd}]/u.test(letter)) continue;
    // Of the letters that stay as they are, one in 101.
    const isPlain = foldAlias(letter) === letter && unhomoglyph(letter) === letter;
    if (isPlain && (letter.codePointAt(0) ?? 0) % 101 !== 0) continue;
    const repeated = [30, 20, 10, 3].map((times) => letter.repeat(times));
    const alias = repeated.find((text) => aliasError(text) === null);
    if (alias === undefined) continue;
    counted += 1;
    const folded = foldAlias(alias);
    const looks = lookAlikeKeys(alias);
    // The longest key with a name in it: an idempotency record of a registration.
    const record = keys.response(`NEW#${folded}`, "k".repeat(128));
    const all = [keys.alias(folded), ...looks.map(keys.look), record];
    const isLong = bytes(folded) > 1_024 || all.some(({ pk, sk }) => bytes(pk) > 2_048 || bytes(sk) > 1_024);
    if (isLong || looks.includes("")) misfits.push(alias);
  }
  expect(misfits).toEqual([]);
  expect(counted).toBeGreaterThan(4_000);
});
