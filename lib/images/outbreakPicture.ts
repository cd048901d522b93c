/** The picture that chats show with a link to the game: its name, its situation, and a dot for each player. */
import * as z from "zod/mini";
import { linesOf } from "../domain/lines.ts";
import { dotPaths, dotsOf, dotWidth, inPlay, type Numbers, SIDES } from "../domain/players/spiral.ts";
import { counterOf, TAKING_PART } from "../domain/players/states.ts";

/** The advance and the outline of each letter, on 1000 units an em (web/letters.ts). */
export const Letters = z.record(z.string(), z.tuple([z.number(), z.string()]));
type Letters = z.infer<typeof Letters>;

export interface Outbreak {
  name: string;
  situation: string;
  counts: Numbers;
}

const [WIDTH, HEIGHT] = [1_200, 630];
const MARGIN = 72;
/** The width of the words, beside the dots. */
const COLUMN = 500;
const RADIUS = 262;
const [PAPER, INK, DIM] = ["#10120f", "#f1f2ea", "#a3a899"];

/** The sizes of the name, largest first: it takes the first in which it fits. */
const NAME_SIZES = [104, 88, 72, 60, 48];
const NAME_LINES = 3;

const numberText = (value: number): string => value.toLocaleString("en");

/** Sets texts in the letters' outlines. */
const setter = (letters: Letters) => {
  const widthOf = (text: string, size: number): number =>
    [...text].reduce((sum, letter) => sum + (letters[letter]?.[0] ?? 0), 0) * (size / 1_000);
  return {
    widthOf,
    linesIn: (text: string, size: number): string[] => linesOf(text, (line) => widthOf(line, size) <= COLUMN),
    /** Whether there is an outline for each letter. */
    has: (text: string): boolean => [...text].every((letter) => letter in letters),
    line: (
      text: string,
      { x, y, size, fill }: { x: number; y: number; size: number; fill: string },
    ): string => {
      let at = 0;
      const glyphs = [...text].map((letter) => {
        const [advance, path] = letters[letter] ?? [0, ""];
        const glyph = path === "" ? "" : `<path transform="translate(${at})" d="${path}"/>`;
        at += advance;
        return glyph;
      });
      return `<g fill="${fill}" transform="translate(${x} ${y}) scale(${size / 1_000})">${glyphs.join("")}</g>`;
    },
  };
};

/** The drawing as SVG, without any text: what is drawn depends on no font of the machine, and no name can be code. */
export const outbreakDrawing = ({ name, situation, counts }: Outbreak, letters: Letters): string => {
  const { widthOf, linesIn, has, line } = setter(letters);
  const parts: string[] = [];
  // The title of a name in another script is in the text beside the picture.
  const title = has(name) ? name.trim() : situation;
  const fits = (size: number): boolean => {
    const lines = linesIn(title, size);
    return lines.length <= NAME_LINES && lines.every((one) => widthOf(one, size) <= COLUMN);
  };
  const size = NAME_SIZES.find(fits) ?? 48;
  const lines = linesIn(title, size).slice(0, NAME_LINES);
  let y = MARGIN + size * 0.8;
  for (const one of lines) {
    parts.push(line(one, { x: MARGIN, y, size, fill: INK }));
    y += size;
  }
  if (title !== situation) {
    for (const [at, one] of linesIn(situation, 38).entries())
      parts.push(line(one, { x: MARGIN, y: y - size + 76 + at * 46, size: 38, fill: DIM }));
  }
  let x = MARGIN;
  for (const state of inPlay(counts) === 0 ? [] : TAKING_PART) {
    const count = counts[counterOf(state)];
    const [number, word] = [numberText(count), count === 1 ? state : counterOf(state)];
    parts.push(line(number, { x, y: HEIGHT - MARGIN - 46, size: 96, fill: SIDES[state].fill }));
    parts.push(line(word, { x, y: HEIGHT - MARGIN, size: 34, fill: DIM }));
    x += Math.max(widthOf(number, 96), widthOf(word, 34)) + 48;
  }
  const dots = dotsOf(counts);
  const crowd = [...dotPaths(dots, RADIUS)].map(
    ([state, d]) => `<path stroke="${SIDES[state].fill}" d="${d}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="${PAPER}"/>${parts.join("")}<g transform="translate(${WIDTH - MARGIN / 2 - RADIUS} ${HEIGHT / 2})" stroke-linecap="round" stroke-width="${dotWidth(dots.length, RADIUS).toFixed(1)}">${crowd.join("")}</g></svg>`;
};

/** Draws the picture as PNG. */
export const drawOutbreak = async (outbreak: Outbreak, letters: Letters): Promise<Buffer> => {
  const { default: sharp } = await import("sharp");
  return sharp(Buffer.from(outbreakDrawing(outbreak, letters)))
    .png({ palette: true, effort: 4 })
    .toBuffer();
};
