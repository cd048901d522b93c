/** Characters that no name may contain: direction marks, invisible ones, emoji, and others that are not letters. */

import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";

/** Code points. Higher ones are all unassigned or private. */
const POINTS = [
  ...Array.from({ length: 0xd800 }, (_, at) => at),
  ...Array.from({ length: 0x3_0000 - 0xe000 }, (_, at) => 0xe000 + at),
  ...Array.from({ length: 0x1000 }, (_, at) => 0xe_0000 + at),
];
const CHARACTERS = POINTS.map((point) => String.fromCodePoint(point)).filter(
  (character) =>
    !/[\p{L}\p{M}\p{Nd}]/u.test(character) || /\p{Default_Ignorable_Code_Point}/u.test(character),
);

const those = (kind: RegExp): string[] => CHARACTERS.filter((character) => kind.test(character));

/** All direction marks. */
const TURNING = those(/^\p{Bidi_Control}$/u);

/** Every format character. */
const FORMATS = those(/^\p{Cf}$/u);

/** Kinds of characters, of which samples are used. */
const KINDS: Record<string, string[]> = {
  "a character that is not drawn": those(/^\p{Default_Ignorable_Code_Point}$/u),
  "a code point that is nothing yet": those(/^\p{Cn}$/u),
  "a character of somebody's own": those(/^\p{Co}$/u),
  "a control character": those(/^\p{Cc}$/u),
  "another space": those(/^\p{Z}$/u).filter((space) => space !== " "),
  "a symbol": those(/^\p{S}$/u),
  "an emoji": those(/^\p{Emoji_Presentation}$/u),
  "a punctuation mark": those(/^\p{P}$/u).filter((mark) => !"_-.'\u2019".includes(mark)),
  "a number that is no digit": those(/^[\p{Nl}\p{No}]$/u),
  "half a surrogate pair": Array.from({ length: 0x800 }, (_, at) => String.fromCharCode(0xd800 + at)),
};

/** Emoji of several code points: families, flags, keys, skins, and with variation selectors. */
const SEQUENCES =
  `👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🏴‍☠️ 🧑🏿‍❤️‍💋‍🧑🏻 🇨🇭 🇺🇳 🇨 🏴󠁧󠁢󠁳󠁣󠁴󠁿 1️⃣ *️⃣ 👍🏽 🏽 ❤️ ☠︎ ™️ ㊙️ a\u{fe0f} क\u200dष क\u200c`.split(" ");

/** A name with a forbidden character. */
export interface Forbidden {
  name: string;
  why: string;
}

/** White space around a name is trimmed, not rejected. */
const around = (what: string): string[] =>
  what.trim() === "" ? [`Z${what}oe`] : [`${what}Zoe`, `Z${what}oe`, `Zoe${what}`, what.repeat(3)];

const shown = (what: string): string =>
  [...what].map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`).join(" ");

/** Names with each direction mark, format character and emoji sequence, and with samples of the other kinds. */
export const forbiddenNames = (random: Random, ofEachKind: number): Forbidden[] => [
  ...TURNING.flatMap((mark) => around(mark).map((name) => ({ name, why: `direction ${shown(mark)}` }))),
  ...FORMATS.map((mark) => ({ name: oneOf(random, around(mark)), why: `format ${shown(mark)}` })),
  ...SEQUENCES.flatMap((emoji) => around(emoji).map((name) => ({ name, why: `emoji ${shown(emoji)}` }))),
  ...Object.entries(KINDS).flatMap(([kind, characters]) =>
    Array.from({ length: ofEachKind }, () => {
      const character = oneOf(random, characters);
      return { name: oneOf(random, around(character)), why: `${kind} ${shown(character)}` };
    }),
  ),
];

/** Scripts whose letters take four bytes each. */
export const FOUR_BYTES = {
  Deseret: "𐐀",
  "Deseret, small": "𐐨",
  Gothic: "𐌰",
  Shavian: "𐑐",
  Osage: "𐒰",
  "Linear B": "𐀀",
  Cuneiform: "𒀀",
  hieroglyphs: "𓀀",
  Adlam: "𞤀",
  Brahmi: "𑀓",
  "Chakma digits": "𑄶",
  Tangut: "𗀀",
  "CJK extension B": "𠀀",
  "CJK extension G": "𰀀",
  "bold mathematical letters": "𝐀",
} as const;
