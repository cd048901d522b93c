/** Searches for names: by the service, which compares beginnings of words, and by its pages, which compare parts of texts. */
import { describe, expect, it } from "vitest";
import { foldAlias } from "../../lib/domain/accounts/alias.ts";
import { formsOfSearch, searchFor, storedWords } from "../../lib/domain/accounts/searchWords.ts";
import { textMatcher } from "../../web/src/state/search.ts";

type Named = Parameters<typeof storedWords>[0];

const player = (alias: string, first_name: string | null = null, last_name: string | null = null): Named => ({
  alias,
  first_name,
  last_name,
  email: null,
});

/** Whether a player is found by the items that are stored for searches: the roster, which is sorted by alias, and words. */
const isStored = (one: Named, search: string): boolean => {
  const words = [...storedWords(one).keys()];
  const sorted = foldAlias(one.alias);
  return formsOfSearch(search).some((wanted) =>
    wanted.every((word) => [...words, sorted].some((stored) => stored.startsWith(word))),
  );
};

const waysOfFinding = (one: Named, search: string): string[] => [
  ...(searchFor(search)(one) ? ["list"] : []),
  ...(isStored(one, search) ? ["index"] : []),
  ...(textMatcher(search)([one.alias, one.first_name, one.last_name].join("\n")) ? ["page"] : []),
];

const EVERYWHERE = ["list", "index", "page"];

const FOUND: [alias: string, searches: string][] = [
  ["Đặng Thị", "dang, đặng, Dang thi, thị, ĐẶNG"],
  ["Łukasz", "lukasz, łuk, LUKASZ"],
  ["Øyvind", "oyvind, øyv, OYVIND"],
  ["Straße", "strasse, straße, STRASSE, STRAẞE"],
  ["Æther", "aether, æther, Ae"],
  ["Œuvre", "oeuvre, œ"],
  ["Þórður", "thordur, þorð, þórður"],
  ["Ħal", "hal, ħal"],
  ["Əli", "eli, əli"],
  ["Işıl", "isil, ışıl, ISIL, IŞIL"],
  ["İpek", "ipek, İPEK"],
  ["Björk Guðmundsdóttir", "bjork, gudmund, GUÐ, björk guðmundsdóttir"],
  ["Robert Downey Jr.", "downey jr, jr, Jr., robert, Robert Downey Jr."],
  ["J. R. Smith", "jr, j r, jr smith, j.r., J. R. Smith, smith, jrsmith"],
  ["van 't Hoff", "vant hoff, van 't hoff, van ’t Hoff, van t hoff, hoff"],
  ["O'Brien", "obrien, o'brien, O’Brien, o brien, brien"],
  ["Jean-Paul", "jeanpaul, jean-paul, jean paul, paul"],
  ["Gal·la", "galla, gal·la, la, GAL·LA"],
  ["王小明", "王, 小明, 王小明, 小明 王, 明"],
  ["王 小明", "王, 小明, 王小明, 小明 王"],
  ["山田太郎", "山田, 太郎, 山田 太郎, 太郎 山田"],
  ["ジョン・スミス", "ジョン, スミス, ジョン・スミス, ジョンスミス, ｼﾞｮﾝ"],
  ["김연아", "김, 연아, 김연아, 연아 김"],
  ["علی\u200cرضا", "علیرضا, علی\u200cرضا, علي"],
  ["ז׳בוטינסקי", "זבוטינסקי, ז'בוטינסקי"],
  ["Ελένη", "ελενη, ΕΛΈΝΗ"],
  ["Ёлка", "елка, ёлка"],
];

describe("a search", () => {
  it.each(FOUND)("finds %j by %s, typed in any form", (alias, searches) => {
    for (const search of searches.split(", ")) {
      for (const form of ["NFC", "NFD"]) {
        const typed = search.normalize(form);
        for (const stored of [player(alias), player("Zed", alias.normalize(form))])
          expect([search, form, waysOfFinding(stored, typed)]).toEqual([search, form, EVERYWHERE]);
      }
    }
  });

  it.each(["王 小明", "山田 太郎", "김 연아"])(
    "finds %s, of which the parts are stored apart, in either order",
    (name) => {
      const [last = "", first = ""] = name.split(" ");
      for (const search of [`${last}${first}`, `${first}${last}`, `${last} ${first}`, `${first} ${last}`])
        expect(waysOfFinding(player("Zed", first, last), search), search).toEqual(
          expect.arrayContaining(["list", "index"]),
        );
    },
  );

  it.each([
    ["Dang", "dong"],
    ["Robert Downey Jr.", "owney jr"],
    ["王小明", "小王"],
    ["O'Brien", "obryan"],
    ["Ann Lee", "annlee"],
  ])("does not find %j by %j", (alias, search) => {
    expect(waysOfFinding(player(alias), search)).not.toContain("list");
  });

  it("stores no more than twelve words, and none twice", () => {
    const wordsOf = (...names: Parameters<typeof player>) => [...storedWords(player(...names)).keys()];
    expect(wordsOf("Ada-Be-Ce-De-E-F-G-H-I-J", "Ka Le Ma No Pe Qu")).toHaveLength(12);
    expect(wordsOf("Ada", "Ada", "O'Neil")).toEqual(["o'neil", "ada", "oneil", "neil"]);
    expect(wordsOf("王小明", "小明", "王")).toEqual(["王", "小明", "明", "小明王"]);
    // Other names are not written together, and their words are not stored for that.
    expect(wordsOf("Zed", "Ada", "Lovelace")).toEqual(["lovelace", "ada"]);
  });
});
