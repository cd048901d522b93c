/**
 * Takes the outlines of the display face's letters for pictures that the service draws: a function has no fonts, and the
 * library of pictures takes them from the machine alone.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import opentype, { type Command } from "opentype.js";
import type { Plugin } from "vite";

const FONTS = fileURLToPath(
  new URL("files/", import.meta.resolve("@fontsource/barlow-condensed/package.json")),
);
const SUBSETS = ["latin", "latin-ext"];
/** ASCII, Latin-1, Latin Extended-A, and quotation marks and dashes. */
const WANTED = [
  [0x20, 0x7e],
  [0xa1, 0x17f],
  [0x2013, 0x2014],
  [0x2018, 0x201d],
  [0x2026, 0x2026],
] as const;

/** An outline in the notation of SVG. The library's own writes an almost zero wrongly. */
const pathOf = (commands: readonly Command[]): string =>
  commands
    .map(({ type, x1, y1, x2, y2, x, y }) => {
      const values = [x1, y1, x2, y2, x, y].filter((value) => value !== undefined);
      return `${type}${values.map((value) => Math.round(value)).join(" ")}`;
    })
    .join("");

/** Each letter's advance and outline, on 1000 units an em. */
const lettersOf = async (): Promise<Record<string, [advance: number, path: string]>> => {
  const letters: Record<string, [number, string]> = {};
  for (const subset of SUBSETS) {
    const bytes = await readFile(join(FONTS, `barlow-condensed-${subset}-700-normal.woff`));
    const font = opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    for (const [first, last] of WANTED) {
      for (let code = first; code <= last; code += 1) {
        const letter = String.fromCodePoint(code);
        const glyph = font.charToGlyph(letter);
        if (letter in letters || glyph.index === 0) continue;
        const advance = ((glyph.advanceWidth ?? 0) * 1_000) / font.unitsPerEm;
        letters[letter] = [Math.round(advance), pathOf(glyph.getPath(0, 0, 1_000).commands)];
      }
    }
  }
  return letters;
};

/** Adds the outlines to the build, for the service alone: no page reads them. */
export const letters: Plugin = {
  name: "letters",
  async generateBundle() {
    const source = JSON.stringify(await lettersOf());
    this.emitFile({ type: "asset", fileName: "letters.json", source });
  },
};
