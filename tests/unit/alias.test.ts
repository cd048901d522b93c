/** Aliases: what is one, when two are the same, and when one poses as another. */
import fc from "fast-check";
import unhomoglyph from "unhomoglyph";
import { afterAll, describe, expect, it } from "vitest";
import { aliasError, foldAlias, isSameAlias, normalizeAlias } from "../../lib/domain/alias.ts";
import { lookAlikeKeys } from "../../lib/store/aliasGuards.ts";
import { keys } from "../../lib/store/keys.ts";
import { drawnOf } from "../support/battery.ts";

/** Of a test with thousands of cases, on a busy machine. */
const PATIENCE = { timeout: 60_000 };

const sharesALook = (one: string, other: string): boolean => {
  const taken = new Set([...lookAlikeKeys(one), foldAlias(one)]);
  return [...lookAlikeKeys(other), foldAlias(other)].some((key) => taken.has(key));
};

const bytes = (text: string): number => Buffer.byteLength(text);

describe("folding", () => {
  it("changes nothing when done twice, for every code point there is", PATIENCE, () => {
    let counted = 0;
    const faults: string[] = [];
    // A seventh of them where the answer is wanted within a minute: another one each run.
    const [first, step] = process.env.TEST_SCALE === "quick" ? [drawnOf(7, "code points"), 7] : [0, 1];
    for (let point = first; point <= 0x10ffff; point += step) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const text = `a${String.fromCodePoint(point)}b`;
      const once = foldAlias(text);
      if (foldAlias(once) !== once || foldAlias(text.normalize("NFD")) !== once)
        faults.push(point.toString(16));
      counted += 1;
    }
    expect(faults).toEqual([]);
    if (step === 1) expect(counted).toBe(0x110000 - 0x800);
    else expect(counted).toBeGreaterThan(150_000);
  });

  let words = 0;

  it("changes nothing when done twice, for words of any letters", PATIENCE, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 12 }), (word) => {
        const once = foldAlias(word);
        expect(foldAlias(once)).toBe(once);
        expect(foldAlias(normalizeAlias(word))).toBe(once);
        expect(foldAlias(word.toUpperCase().toLowerCase())).toBe(foldAlias(once));
        words += 1;
      }),
      { numRuns: 5_000 },
    );
  });

  afterAll(() => {
    expect(words).toBe(5_000);
  });

  it.each([
    ["Ada", "ADA"],
    ["Ivy", "ivy"],
    ["Straße", "STRASSE"],
    ["Straße", "strasse"],
    ["Cléo", "CLÉO"],
    ["Cléo", "Cle\u0301o"],
    ["Ａｄａ", "Ada"],
    ["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
    ["Ольга", "ОЛЬГА"],
    ["ﬁona", "Fiona"],
    ["x²y3", "x2y3"],
    ["ʻOkina", "ʻokina"],
  ])("takes %s and %s for one name", (one, other) => {
    expect(foldAlias(one)).toBe(foldAlias(other));
    expect(isSameAlias(one, other)).toBe(true);
    expect(sharesALook(one, other)).toBe(true);
  });

  it.each([
    ["Ada", "Adá"],
    ["Ada", "Adda"],
    ["Ann Other", "Ann_Other"],
    ["Ann.Other", "Ann-Other"],
    ["Иван", "Ива́н"],
  ])("takes %s and %s for two names", (one, other) => {
    expect(foldAlias(one)).not.toBe(foldAlias(other));
    expect(isSameAlias(one, other)).toBe(false);
  });
});

describe("an alias", () => {
  it("keeps its last sigma when folded, as any other", () => {
    expect(foldAlias("ΑΣ")).toBe("ασ");
    expect(isSameAlias("Ηλίας", "Ηλία")).toBe(false);
  });

  it.each([
    ["ab", "must have 3 to 30 characters"],
    ["x".repeat(31), "must have 3 to 30 characters"],
    ["Ada!", "may have only letters and digits, with a space, _ - or . between them"],
    // Letters that become one when folded, and letters that become three.
    ["ㄱㅏㄱ", "has letters that stand for too many others, or for too few"],
    ["ﬃ".repeat(21), "has letters that stand for too many others, or for too few"],
    ["ﬃ".repeat(20), null],
  ])("%s is told why it is none", (alias, why) => {
    expect(aliasError(alias)).toBe(why);
  });

  it.each([
    "Ada",
    "abc",
    "007",
    "Ann Other",
    "ann_other",
    "ann-other",
    "J.R.R. Tolkien".replace(". ", "."),
    "a_b-c.d e",
    "x".repeat(30),
    "𝒳".repeat(30),
    "𐐷𐐷𐐷",
    "李小龍",
    "さくら",
    "김연아",
    "अनन्या",
    "विराट कोहली",
    "สมชาย",
    "น้ำฝน",
    "محمد",
    "فاطمة الزهراء",
    "שָׁלוֹם",
    "Ольга",
    "Ελένη",
    "Nguyễn Thị",
    "Ağaoğlu",
    "Ærøskøbing",
    "தமிழ்செல்வி",
    "ქეთევან",
    "Արմեն",
    "አበበ",
    "٣٤٥",
  ])("may be %s", (alias) => {
    expect(aliasError(alias)).toBeNull();
  });

  it.each([
    ["", "nothing"],
    ["ab", "two characters"],
    ["x".repeat(31), "thirty-one"],
    ["𝒳".repeat(31), "thirty-one of four bytes"],
    ["👻👻", "two emoji"],
    ["Zoe👻", "an emoji"],
    ["👨‍👩‍👧‍👦fam", "a family of emoji"],
    ["☠️☠️☠️", "symbols"],
    [" Ada", "a leading space"],
    ["Ada ", "a trailing space"],
    ["Ada  Lovelace", "a double inner space"],
    ["Ada\tLovelace", "a tab"],
    ["Ada\nLovelace", "a line break"],
    ["Ada\u00a0Lovelace", "a no-break space"],
    ["Ada\u3000Lovelace", "an ideographic space"],
    ["Ada\u2009Lovelace", "a thin space"],
    ["_Ada", "a leading underscore"],
    ["Ada-", "a trailing dash"],
    [".Ada", "a leading dot"],
    ["A--da", "two dashes"],
    ["A-_da", "a dash and an underscore"],
    ["...", "dots only"],
    ["---", "dashes only"],
    ["Ada\u200bL", "a zero-width space"],
    ["Ada\u200cL", "a zero-width non-joiner"],
    ["Ada\u200dL", "a zero-width joiner"],
    ["Ada\u2060L", "a word joiner"],
    ["\ufeffAda", "a byte order mark"],
    ["Ada\u00adL", "a soft hyphen"],
    ["Ada\u202eL", "a right-to-left override"],
    ["\u202dAda", "a left-to-right override"],
    ["\u2066Ada\u2069", "an isolate"],
    ["Ada\u200f", "a right-to-left mark"],
    ["Ada\u061cL", "an Arabic letter mark"],
    ["\u3164\u3164\u3164", "Hangul fillers"],
    ["Ada\u115fL", "a Hangul choseong filler"],
    ["Ada\u034fL", "a grapheme joiner"],
    ["Ada\ufe0fL", "a variation selector"],
    ["Ada\u{e0061}L", "a tag character"],
    ["\u2800\u2800\u2800", "blank Braille"],
    ["\u0301Ada", "a mark in front"],
    ["X\u0301\u0301\u0301\u0301da", "four marks on one letter"],
    ["Ada<b>", "angle brackets"],
    ["Ada'; DROP", "punctuation"],
    ["Ada/Eve", "a slash"],
    ["Ada#1", "a number sign"],
    ["Ada\u0000", "a null"],
    ["Ada\ud800", "half a surrogate pair"],
    ["Ⅷabc", "a letter number"],
    ["Ada\u2013Eve", "an en dash"],
    ["ﷺﷺﷺﷺﷺﷺ", "letters that stand for whole sentences"],
  ])("may not be %j: %s", (alias) => {
    expect(aliasError(alias)).not.toBeNull();
  });

  it("is judged in the form in which it is kept: composed or not makes no difference", () => {
    for (const alias of [
      "Nguyễn Thị Minh Khai Thảo Vân",
      "김연아김연아김연아김연아",
      "Ằẵậ Ộổỡ Ựữử Ếềể Ốồộ",
    ]) {
      expect(aliasError(alias), alias).toBeNull();
      expect(aliasError(alias.normalize("NFD")), `${alias}, decomposed`).toBeNull();
    }
  });
});

/** Pairs of names of which the second poses as the first. */
const POSERS: [string, string][] = [
  ["Ada", "Аdа"],
  ["Ada", "Аdа".toUpperCase()],
  ["Ada", "Ａｄａ"],
  ["Ada", "Adа"],
  ["Ada", "Αda"],
  ["Ada", "𝐀𝐝𝐚"],
  ["Ada", "𝔸𝕕𝕒"],
  ["Ada", "Ꭺda"],
  ["Alice", "AIice"],
  ["Alice", "A1ice"],
  ["Alice", "Аlice"],
  ["Alice", "Alicе"],
  ["Alice", "Alісe"],
  ["Alice", "AӀice"],
  ["Ned", "Νed"],
  ["Bob", "Вob"],
  ["Bob", "Βob"],
  ["Bob", "B0b"],
  ["Bob", "Воb"],
  ["Eve", "Еve"],
  ["Eve", "Εve"],
  ["Eve", "Evе"],
  ["Zoe", "Ζoe"],
  ["Zoe", "Z0e"],
  ["Zoe", "Zое"],
  ["Hans", "Ηans"],
  ["Hans", "Нans"],
  ["Karl", "Κarl"],
  ["Karl", "Кarl"],
  ["Mia", "Μia"],
  ["Mia", "Мia"],
  ["Olga", "Οlga"],
  ["Olga", "Оlga"],
  ["Olga", "0lga"],
  ["Paul", "Ρaul"],
  ["Paul", "Рaul"],
  ["Tom", "Τom"],
  ["Tom", "Тom"],
  ["Tom", "T0m"],
  ["Xena", "Χena"],
  ["Xena", "Хena"],
  ["Yves", "Υves"],
  ["Ivan", "Ιvan"],
  ["Ivan", "Іvan"],
  ["Ivan", "lvan"],
  ["Ivan", "1van"],
  ["paypal", "paypa1"],
  ["paypal", "раураl"],
  ["modern", "rnodern"],
  ["modern", "modem"],
  ["corner", "comer"],
  ["Sam", "Ѕam"],
  ["Jon", "Јon"],
  ["Chris", "Ϲhris"],
  ["Chris", "Сhris"],
  ["admin", "аdmin"],
  ["admin", "adm1n".replace("1", "і")],
  ["Game Master", "Game Маster"],
  ["Game Master", "Gаme Master"],
  ["Gm0", "GmO"],
  ["Will", "WiII"],
  ["Will", "Wi11"],
  ["Bill", "BiIl"],
  ["Iris", "lris"],
  ["scope", "ѕсоре"],
  ["Doe", "Dое"],
  ["Lilly", "LiIIy"],
  ["Otto", "0tto"],
  ["Otto", "Оttо"],
  ["Nina", "Νina"],
  ["VIP", "VlP"],
  ["Bob", "Bοb"],
  ["Kim", "КIM"],
  ["Mia", "МIА"],
  ["Nina", "ΝINA"],
  ["Heidi", "ᎻEIDI"],
];

/** Pairs of names that two honest players may have. */
const HONEST: [string, string][] = [
  ["Ada", "Ida"],
  ["Anna", "Hanna"],
  ["Anna", "Anne"],
  ["Ben", "Len"],
  ["Bob", "Rob"],
  ["Bill", "Will"],
  ["Cara", "Clara"],
  ["Cleo", "Cléo"],
  ["Dan", "Dana"],
  ["Dan", "Ian"],
  ["Eva", "Eve"],
  ["Emil", "Emily"],
  ["Finn", "Flynn"],
  ["Gail", "Gael"],
  ["Hugo", "Hugh"],
  ["Iris", "Idris"],
  ["Ivan", "Evan"],
  ["Jan", "Jana"],
  ["Jon", "John"],
  ["Kai", "Kay"],
  ["Karl", "Carl"],
  ["Lena", "Lana"],
  ["Lisa", "Elisa"],
  ["Mara", "Maria"],
  ["Mario", "Marion"],
  ["Max", "Marx"],
  ["Nina", "Mina"],
  ["Noa", "Noah"],
  ["Olga", "Helga"],
  ["Otto", "Ottilie"],
  ["Paul", "Raul"],
  ["Pia", "Mia"],
  ["Rita", "Zita"],
  ["Ruth", "Rut"],
  ["Sam", "Pam"],
  ["Sara", "Sarah"],
  ["Tim", "Tom"],
  ["Tina", "Dina"],
  ["Ulla", "Ella"],
  ["Uwe", "Ute"],
  ["Vera", "Vero"],
  ["Willy", "Wally"],
  ["Xaver", "Javier"],
  ["Yara", "Sara"],
  ["Zoe", "Chloe"],
  ["Ann Other", "Ann Otter"],
  ["Ann_Other", "Ann-Other"],
  ["player1", "player2"],
  ["player10", "player11"],
  ["team7", "team9"],
  ["Ольга", "Олег"],
  ["Иван", "Инна"],
  ["Ελένη", "Ελένα"],
  ["محمد", "محمود"],
  ["فاطمة", "فاضلة"],
  ["李小龍", "李小虎"],
  ["김연아", "김연지"],
  ["अनन्या", "अनामिका"],
  ["สมชาย", "สมหญิง"],
  ["Müller", "Muller"],
  ["Jørgen", "Jorgen"],
  ["さくら", "さくや"],
  ["שלום", "שלמה"],
  ["Nguyễn", "Nguyen"],
  ["Elia", "Ella"],
  ["Milo", "Mllo"],
];

describe("an alias that looks like another", () => {
  it.each(POSERS)("%s is not to be had beside %s's poser, nor the other way round", (one, other) => {
    expect(aliasError(one)).toBeNull();
    expect(aliasError(other)).toBeNull();
    expect(one).not.toBe(other);
    expect(sharesALook(one, other)).toBe(true);
    expect(sharesALook(other, one)).toBe(true);
  });

  it.each(HONEST)("%s and %s are two honest names", (one, other) => {
    expect(aliasError(one)).toBeNull();
    expect(aliasError(other)).toBeNull();
    expect(sharesALook(one, other)).toBe(false);
  });

  it("is one of at least sixty pairs, and so are the honest ones", () => {
    expect(new Set(POSERS.map(String)).size).toBe(POSERS.length);
    expect(new Set(HONEST.map(String)).size).toBe(HONEST.length);
    expect(POSERS.length).toBeGreaterThanOrEqual(60);
    expect(HONEST.length).toBeGreaterThanOrEqual(60);
  });

  it(
    "is found out for every letter that Unicode calls confusable with a Latin letter or a digit",
    PATIENCE,
    () => {
      let counted = 0;
      const posers: string[] = [];
      for (let point = 0x80; point <= 0x1ffff; point += 1) {
        const letter = String.fromCodePoint(point);
        const prototype = unhomoglyph(letter);
        if (!/^[A-Za-z0-9]$/.test(prototype)) continue;
        const poser = `Za${letter}aZ`;
        if (aliasError(poser) !== null) continue;
        counted += 1;
        if (!sharesALook(`Za${prototype}aZ`, poser)) posers.push(`${point.toString(16)} as ${prototype}`);
      }
      expect(posers).toEqual([]);
      expect(counted).toBeGreaterThan(700);
    },
  );

  let names = 0;

  it("may always change its own case: a name looks like itself in capitals and small letters", () => {
    const latin = fc.string({
      unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ019"),
      minLength: 3,
      maxLength: 12,
    });
    fc.assert(
      fc.property(latin, (name) => {
        expect(foldAlias(name)).toBe(foldAlias(name.toUpperCase()));
        expect(sharesALook(name, name.toUpperCase())).toBe(true);
        expect(sharesALook(name, name.toLowerCase())).toBe(true);
        names += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(names).toBe(2_000);
  });
});

describe("the keys of an alias", () => {
  const PARTITION = 2_048;
  const SORT = 1_024;

  const fits = (alias: string): void => {
    const folded = foldAlias(alias);
    expect(bytes(folded), alias).toBeLessThanOrEqual(SORT);
    for (const { pk, sk } of [keys.alias(folded), ...lookAlikeKeys(alias).map(keys.look)]) {
      expect(bytes(pk), alias).toBeLessThanOrEqual(PARTITION);
      expect(bytes(sk), alias).toBeLessThanOrEqual(SORT);
    }
    // The longest that a name becomes part of: a key for retries at registration.
    expect(bytes(keys.response(`NEW#${folded}`, "k".repeat(128)).pk), alias).toBeLessThanOrEqual(PARTITION);
    for (const key of lookAlikeKeys(alias)) expect(key.length).toBeGreaterThan(0);
  };

  it(
    "fit into the table for as many of one letter as an alias may have, for every letter that folds",
    PATIENCE,
    () => {
      let counted = 0;
      for (let point = 0; point <= 0x3ffff; point += 1) {
        const letter = String.fromCodePoint(point);
        if (!/[\p{L}\p{M}\p{Nd}]/u.test(letter)) continue;
        // Most letters stay as they are: of those every hundredth will do.
        if (foldAlias(letter) === letter && unhomoglyph(letter) === letter && point % 101 !== 0) continue;
        const alias = [30, 20, 10, 3]
          .map((times) => letter.repeat(times))
          .find((text) => aliasError(text) === null);
        if (alias === undefined) continue;
        fits(alias);
        counted += 1;
      }
      expect(counted).toBeGreaterThan(4_000);
    },
  );

  let accepted = 0;

  it("fit into the table for any alias that is accepted", PATIENCE, () => {
    const letters: string[] = [];
    for (let point = 0x20; point <= 0x2ffff; point += 1) {
      const letter = String.fromCodePoint(point);
      if (
        /[\p{L}\p{M}\p{Nd}]/u.test(letter) &&
        (bytes(unhomoglyph(foldAlias(letter))) > 4 || point % 97 === 0)
      ) {
        letters.push(letter);
      }
    }
    const alias = fc.string({ unit: fc.constantFrom(...letters), minLength: 3, maxLength: 30, size: "max" });
    fc.assert(
      fc.property(alias, (text) => {
        fc.pre(aliasError(text) === null);
        fits(text);
        accepted += 1;
      }),
      { numRuns: 3_000, maxSkipsPerRun: 1_000 },
    );
    expect(accepted).toBe(3_000);
  });
});
