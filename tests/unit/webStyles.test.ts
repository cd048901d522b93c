/** The style sheets of the web app: six sizes of text, and sides that everybody can tell apart. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SIDES } from "../../lib/domain/players/spiral.ts";
import { TAKING_PART } from "../../lib/domain/players/states.ts";

const BASE = readFileSync("web/src/styles/base.css", "utf8");

it("use the sizes of the scale alone", () => {
  const sizes = new Set<string>();
  const others = globSync("web/src/**/*.css").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bfont(?:-size)?:\s*([^;]+);/g)]
      .map(([, value = ""]) => value.replaceAll(/\s+/g, " "))
      .filter((value) => {
        const size = /var\(--(tiny|small|body|title|large|huge|countdown)\)/.exec(value)?.[1];
        if (size !== undefined) sizes.add(size);
        // The root has the size that the browser is set to.
        return size === undefined && value !== "inherit" && !value.startsWith("100%");
      })
      .map((value) => `${file}: ${value}`),
  );
  // The letters in the drawing of the outbreak are as large at every zoom. Choices and dates fit in at large text.
  expect(others.toSorted()).toEqual([
    "web/src/player/outbreak/outbreak.css: calc(12px / var(--scale))",
    "web/src/styles/base.css: min(1em, max(16px, 5.2vw))",
  ]);
  expect(sizes.size).toBeLessThanOrEqual(7);
});

type Colour = readonly [number, number, number];

const colourOf = (name: string): Colour => {
  const hex = new RegExp(`--${name}: #(\\w{6})`).exec(BASE)?.[1] ?? "";
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(0), part(2), part(4)];
};

const times = (matrix: readonly Colour[], colour: Colour): Colour => {
  const row = (at: number): number =>
    (matrix[at] ?? colour).reduce((sum, factor, column) => sum + factor * (colour[column] ?? 0), 0);
  return [row(0), row(1), row(2)];
};

/** What people see who have each kind of colour blindness, in linear light (Machado, Oliveira and Fernandes 2009). */
const SEEN: Readonly<Record<string, readonly Colour[]>> = {
  everybody: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIE L*a*b* of linear sRGB. */
const lab = (colour: Colour): Colour => {
  const [x, y, z] = times(
    [
      [0.4339, 0.3762, 0.1899],
      [0.2126, 0.7152, 0.0722],
      [0.0177, 0.1095, 0.8728],
    ],
    colour,
  ).map((value) => Math.cbrt(Math.max(0, value))) as [number, number, number];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};

const luminance = (colour: Colour): number => 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];

it("give sides colours that people with any colour blindness tell apart, with text that everybody reads", () => {
  for (const [who, matrix] of Object.entries(SEEN)) {
    const seen = TAKING_PART.map((side) => lab(times(matrix, colourOf(side))));
    const distances = seen.flatMap((one, at) =>
      seen.slice(at + 1).map((other) => Math.hypot(...one.map((value, n) => value - (other[n] ?? 0)))),
    );
    // One in CIE 1976 is just noticeable, side by side.
    expect(Math.min(...distances), who).toBeGreaterThan(20);
  }
  for (const side of TAKING_PART) {
    // What has no style sheet has the same colours.
    expect(BASE).toContain(`--${side}: ${SIDES[side].fill};`);
    expect(BASE).toContain(`--${side}-ink: ${SIDES[side].ink};`);
    const contrast = (luminance(colourOf(side)) + 0.05) / (luminance(colourOf(`${side}-ink`)) + 0.05);
    expect(contrast, side).toBeGreaterThan(4.5);
  }
});
