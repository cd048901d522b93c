/** Pairs of names that do not look alike: both must be accepted. */

import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import { isName, type Pair, pairsIn, STEM, stem, stemOf, UNMISTAKABLE, withAnother } from "./letters.ts";

/** Plausible names, of one script or of two. */
const BY_HAND = pairsIn(`
  Elia~Ella, Emilia~Emilla, Mario~Marlo, Ann Other~Ann_Other, Ann-Other~Ann.Other, Noone~No-one, Zoë~Zoe,
  René~Rene, Øystein~Oystein, Łukasz~Lukasz, Željko~Zeljko, ñandú~nandu, Иван~Ivan, Юлия~Юлій, Ёлка~Елка,
  Γιώργος~Γιώργης, הראל~הראלה, محمد~محمدي, आरव~आरवी, สมศรี~สมศักดิ์, ひまわり~ヒマワリ, 小林一~小森一, 김민준~김민중, Անի~Անին,
  ანა~ანო, player2~player3, 22222~33333, ٢٢٢~٣٣٣`);

const someOf = (random: Random, letters: readonly string[]): string[] =>
  Array.from({ length: 2 + random.below(5) }, () => oneOf(random, letters));

/** Letters with neighbouring code points, mostly of one script. */
const neighbours = (random: Random): string[] =>
  UNMISTAKABLE.slice(random.below(UNMISTAKABLE.length - 40)).slice(0, 40);

type Maker = (random: Random) => [string, string];

const MAKERS: Record<string, Maker> = {
  "one letter of another": (random) => {
    const word = someOf(random, STEM);
    return [word.join(""), withAnother(random, word, STEM).join("")];
  },
  "one letter of any script": (random) => {
    const letters = neighbours(random);
    const word = someOf(random, letters);
    return [word.join(""), withAnother(random, word, letters).join("")];
  },
  "one letter more": (random) => {
    const word = stem(random, 2);
    return [word, `${word}${random.pick(["a", "7", "Ж", "語", "한", "ա"])}`];
  },
  "an accent": (random) => {
    const word = stem(random, 2);
    return [word, `${word}${random.pick(["\u0301", "\u0308", "\u030c"])}`];
  },
  "what stands between": (random) => {
    const [first, second] = random.shuffle([" ", "_", "-", ".", ""]);
    const word = stem(random, 3);
    return [`${first}${word}`, `${second}${word}`];
  },
};

/** `count` pairs, including those written by hand. */
export const honestPairs = (random: Random, count: number): Pair[] => {
  const pairs = [...BY_HAND];
  const kinds = Object.entries(MAKERS);
  while (pairs.length < count) {
    const [by, make] = oneOf(random, kinds);
    // Each pair begins differently, so that no other pair has taken the name.
    const [one, other] = make(random).map((end) => `${stemOf(pairs.length)}${end}`);
    if (one === undefined || other === undefined || !isName(one) || !isName(other)) continue;
    pairs.push({ one, other, by });
  }
  return random.shuffle(pairs).slice(0, count);
};
