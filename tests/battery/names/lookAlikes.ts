/** Pairs of names that look alike: by hand, and from Unicode's data. */
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import {
  CONFUSABLE,
  capitalDoublesOf,
  doublesOf,
  isName,
  LETTERS,
  type Pair,
  pairsIn,
  stem,
} from "./letters.ts";

/** Names with which somebody could pose as another player. */
const BY_HAND = pairsIn(`
  Oliver~0liver, Oliver~OIiver, Oliver~О1ivеr, Io100~IoIOO, lll111~Il1l1I, Agent 007~Agent OO7, O0oO~oO0o,
  Barnum~Bamum, burner~bumer, Morn~Mom, rnrnrn~mmm, corn-flower~com-flower, Straße~STRASSE, Straße~STRAẞE,
  Straße~ﬆraſſe, Größe~GRÖSSE, İpek~i\u0307pek, Işık~ışık, Ilgın~ilgin, Ali~Alı, Kim~КIM, Mia~МIA,
  ŉandu~ʼnandu, ǰana~j\u030cana, Ǆoka~ǆoka, Ǆoka~DŽoka, Ĳssel~IJssel, ﬀion~ffion, oﬃce~office,
  Kelvin~\u212aelvin, Ångström~\u212bngström, Ωmega~\u2126mega, μmeter~µmeter, οδος~ΟΔΟΣ, οδος~οδοσ,
  Ᾰδης~Α\u0306δης, ΐδα~ι\u0308\u0301δα, ᾳδα~ΑΙδα, Ά\u0345δα~ᾴδα, Москва~МОСКВА, Mосква~Москва, Rаschel~Raschel,
  Сосо~Coco, Саша~Caшa, ЅЈѕј~SJsj, Ոսկե~nսկե, եւա~ԵՒԱ, ﬓաս~մնաս, Ꭰꮅꮿ~ꭰꮅꮿ, ᏔᎳ ᏫᏍ~ꮤꮃ ꮻꮝ, Ꮪam~Sam, ᎷᎥa~Mia,
  ᲐᲑᲒ~აბგ, 𐐀𐐁𐐂~𐐨𐐩𐐪, 𞤀𞤁𞤂~𞤢𞤣𞤤, Ａｎｎｅ~Anne, Ａｎｎｅ~ANNE, 𝓐𝓷𝓷𝓮~𝕬𝖓𝖓𝖊, Anne𝟘~AnneO, Anne𝟙~Annel, ﾊﾝﾅ~ハンナ, ｶﾞﾌﾞﾗ~ガブラ,
  김연아~\u1100\u1175\u11b7\u110b\u1167\u11ab\u110b\u1161, ㄱㄴㄷ~\u1100\u1102\u1103, Nguyễn~Nguye\u0302\u0303n,
  ậba~a\u0302\u0323ba, q\u0323\u0307a~q\u0307\u0323a, ﻋﻠﻲ~علي, ﷲab~اللهab,
  \u0663\u0664\u0665~\u06f3\u0664\u0665, שׁלום~ש\u05c1לום, क़मर~क\u093cमर, \u{2f800}丽a~丽丽a, \uf900豈a~豈豈a`);

/** Small forms of other letters. */
const CASED = LETTERS.filter((letter) => letter.toLowerCase() !== letter.toUpperCase());

/** Variants of other letters: wide, bold, joined, raised. */
const FORMS = LETTERS.filter((letter) => {
  const plain = letter.normalize("NFKC");
  return plain !== letter && [...plain].length <= 4 && isName(`ab${plain}ab`);
});

/** Letters composed of others. */
const COMPOSED = LETTERS.filter((letter) => letter.normalize("NFD") !== letter);

const flip = (random: Random, letter: string): string =>
  random.pick([letter, letter.toUpperCase(), letter.toLowerCase()]);

/** A word with one to four of the given letters, and the same word with other letters instead. */
const within = (
  random: Random,
  from: readonly string[],
  other: (letter: string) => string,
): [string, string] => {
  const letters = Array.from({ length: 1 + random.below(4) }, () => oneOf(random, from));
  const [before, after] = [stem(random, 2), stem(random, 2)];
  return [`${before}${letters.join("")}${after}`, `${before}${letters.map(other).join("")}${after}`];
};

/** Three to ten of some letters. */
const wordOf = (random: Random, letters: string): string[] =>
  Array.from({ length: 3 + random.below(8) }, () => oneOf(random, [...letters]));

type Maker = (random: Random) => [string, string];

const MAKERS: Record<string, Maker> = {
  "by letters that look the same": (random) =>
    within(random, CONFUSABLE, (letter) => oneOf(random, doublesOf(letter))),
  "by letters that look like Latin ones": (random) => {
    const word = wordOf(random, "aceiloprsvxyBEHKMNTZ01");
    const places = [random.below(word.length), random.below(word.length)];
    const posing = word.map((letter, at) =>
      places.includes(at) ? oneOf(random, doublesOf(letter)) : letter,
    );
    return [word.join(""), posing.join("")];
  },
  "by capitals that look the same": (random) => {
    const word = wordOf(random, "abcdefghijklmnopqrstuvwxyz");
    const posing = word.map((letter) => {
      const capital = letter.toUpperCase();
      return random.chance(0.4) ? oneOf(random, [capital, ...capitalDoublesOf(capital)]) : capital;
    });
    return [word.join(""), posing.join("")];
  },
  "by case": (random) => {
    // Neighbours, which are mostly of one script.
    const at = random.below(CASED.length - 40);
    const letters = wordOf(random, CASED.slice(at, at + 40).join(""));
    return [letters.join(""), letters.map((letter) => flip(random, letter)).join("")];
  },
  "by form": (random) => within(random, FORMS, (letter) => letter.normalize("NFKC")),
  "by composition": (random) => within(random, COMPOSED, (letter) => letter.normalize("NFD")),
};

/** `count` different pairs, including those written by hand. */
export const lookAlikes = (random: Random, count: number): Pair[] => {
  const pairs = [...BY_HAND];
  const seen = new Set(pairs.map(({ one, other }) => `${one}\n${other}`));
  const kinds = Object.entries(MAKERS);
  while (pairs.length < count) {
    const [by, make] = oneOf(random, kinds);
    const [one, other] = make(random);
    const name = `${one}\n${other}`;
    // Many names have no other case or become too long.
    if (one === other || seen.has(name) || !isName(one) || !isName(other)) continue;
    seen.add(name);
    pairs.push({ one, other, by });
  }
  return random.shuffle(pairs).slice(0, count);
};
