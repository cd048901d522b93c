/** Draws the icons of the app, all of one sign: the dots of the outbreak. */
import sharp from "sharp";
import type { Plugin } from "vite";
import { dotPaths, dotWidth, SIDES } from "../lib/domain/players/spiral.ts";

const PAPER = "#10120f";
const COLOURS = [SIDES.corpse.fill, SIDES.zombie.fill, SIDES.human.fill];
/** Corpses in the centre, then zombies, then humans; with more dots, small icons would be a blur. */
const DOTS = COLOURS.flatMap((colour, at) => Array.from({ length: [3, 15, 22][at] ?? 0 }, () => colour));
/** A badge is as small as a letter, and of one colour, which the phone chooses. */
const BADGE_DOTS = Array.from({ length: 13 }, () => "#fff");

/** Half of the side of the drawing. */
const HALF = 256;

interface Sign {
  dots?: readonly string[];
  /** The radius of the sign as a part of `HALF`. */
  fills: number;
  /** The radius of the corners; `null` without a background. */
  corners: number | null;
  /** The width of the dots as a part of the usual one. */
  thin?: number;
}

const drawing = ({ dots = DOTS, fills, corners, thin = 1 }: Sign): string => {
  const radius = HALF * fills;
  const width = dotWidth(dots.length, radius) * thin;
  const paths = [...dotPaths(dots, radius - width / 2)].map(
    ([colour, d]) => `<path stroke="${colour}" d="${d}"/>`,
  );
  const side = 2 * HALF;
  const paper =
    corners === null
      ? ""
      : `<rect x="-${HALF}" y="-${HALF}" width="${side}" height="${side}" rx="${corners}" fill="${PAPER}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${HALF} -${HALF} ${side} ${side}">${paper}<g stroke-linecap="round" stroke-width="${Math.round(width)}">${paths.join("")}</g></svg>`;
};

const ROUNDED = { fills: 0.84, corners: 112 };
/** Phones cut these to their own shapes, up to a circle of 80 % of the side. */
const CUT = { fills: 0.7, corners: 0 };

/** The icons, by file name, with their side in pixels. */
const PICTURES: readonly (readonly [name: string, side: number, sign: Sign])[] = [
  ["icon-180.png", 180, CUT],
  ["icon-192.png", 192, ROUNDED],
  ["icon-512.png", 512, ROUNDED],
  ["icon-maskable-512.png", 512, CUT],
  ["badge-96.png", 96, { dots: BADGE_DOTS, fills: 1, corners: null, thin: 0.85 }],
];

/** The icon of the tab, which the page contains. */
export const ICON = drawing(ROUNDED);

/** Adds the icons to the build. */
export const icons: Plugin = {
  name: "icons",
  async generateBundle() {
    this.emitFile({ type: "asset", fileName: "icon.svg", source: ICON });
    for (const [fileName, side, sign] of PICTURES) {
      const svg = Buffer.from(drawing(sign));
      const png = sharp(svg, { density: (72 * side) / (2 * HALF) })
        .resize(side, side)
        .png({ palette: true, effort: 10 });
      this.emitFile({ type: "asset", fileName, source: await png.toBuffer() });
    }
  },
};
