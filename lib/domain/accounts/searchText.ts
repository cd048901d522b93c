/** How names are searched, by the service and by its pages alike: which texts count as equal, and where words begin. */

/** Letters that Unicode does not decompose, although most keyboards lack them. */
const LETTERS: Readonly<Record<string, string>> = {
  đ: "d",
  ð: "d",
  ł: "l",
  ø: "o",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ə: "e",
  ß: "ss",
  ı: "i",
  // Persian letters that look like Arabic ones.
  ی: "ي",
  ک: "ك",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** A text without case, accents, compatibility forms, invisible characters and the Arabic tatweel. */
const plainText = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\p{Mn}\p{Default_Ignorable_Code_Point}\u0640]/gu, "")
    .replaceAll("ς", "σ")
    .replaceAll(SPECIAL, (letter) => LETTERS[letter] ?? letter);

/** The characters between words. Other punctuation belongs to its word, as @ does. */
const SEPARATOR = "[\\s_.·・‧'’‘ʼʻʹʾʿ`´׳״־་\\u2010-\\u2015-]";

/** Scripts without spaces between words, in which each letter may begin one. */
const IDEOGRAPH = "[\\p{Script=Han}\\uac00-\\ud7a3]";
const KANA = "[\\p{Script=Hiragana}\\p{Script=Katakana}ー]";

const WORDS = new RegExp(`${IDEOGRAPH}|${KANA}+|(?:(?!${SEPARATOR}|${IDEOGRAPH}|${KANA}).)+`, "gsu");
const SPACES_ONLY = /^[\s_]+$/u;
const EAST_ASIAN = new RegExp(`^(?:${IDEOGRAPH}|${KANA})`, "u");

/**
 * The words of a text in runs. Within a run, people may leave out what is between the words: of `van 't Hoff` the runs are
 * van-t and hoff, of `J. R. Smith` it is j-r-smith, and of 山田 太郎 it is 山-田-太-郎.
 */
const runsOf = (text: string): string[][] => {
  const runs: string[][] = [];
  let previous = { word: "", end: 0 };
  const composed = text.normalize("NFKC");
  for (const { 0: word, index } of composed.matchAll(WORDS)) {
    const gap = composed.slice(previous.end, index);
    const isEastAsian = EAST_ASIAN.test(previous.word) && EAST_ASIAN.test(word);
    const isJoined = isEastAsian || !SPACES_ONLY.test(gap);
    const plain = plainText(word);
    if (plain !== "") {
      if (isJoined && runs.length > 0) runs.at(-1)?.push(plain);
      else runs.push([plain]);
    }
    previous = { word, end: index + word.length };
  }
  return runs;
};

/** The texts with which a search for a name may begin: from the beginning of each word to the end of its run. */
export const searchKeys = (text: string): string[] =>
  runsOf(text).flatMap((run) => run.map((_, at) => run.slice(at).join("")));

/** A text in which its parts are found: see {@link searchedWords}. */
export const searchText = (text: string): string =>
  runsOf(text)
    .map((run) => run.join(""))
    .join(" ");

/** The words of a search. Each must be part of a {@link searchText}, or the beginning of one of the {@link searchKeys}. */
export const searchedWords = (search: string): string[] =>
  search
    .normalize("NFKC")
    // Within a word, an apostrophe is left out: o'brien.
    .replaceAll(/(?<=\p{L})['’‘ʼʻʹʾʿ`׳״](?=\p{L})/gu, "")
    .split(new RegExp(`${SEPARATOR}+`, "u"))
    .map(plainText)
    .filter(Boolean);

/**
 * What is searched of a player's names besides each by itself: Chinese, Japanese and Korean names are written together, the
 * last name first, or in the order of the form.
 */
export const namesTogether = (first: string | null, last: string | null): string[] =>
  first !== null && last !== null && EAST_ASIAN.test(first) && EAST_ASIAN.test(last)
    ? [`${last}${first}`, `${first}${last}`]
    : [];
