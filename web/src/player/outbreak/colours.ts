/** The colours of infections, by generation or by the player's state. */
import { STATE_NAMES } from "../../../../lib/domain/players/states.ts";
import type { State } from "../../state/api.ts";
import type { Spot } from "./layout.ts";

export type Colouring = "generation" | "state";

/** The number of generations with a colour of their own. */
const MAX_STEPS = 10;

/** Reads a part of a colour of a state, as styles/base.css sets it; 1 by default. */
const partOf = (state: State, part: "hue" | "chroma"): number =>
  Number(getComputedStyle(document.documentElement).getPropertyValue(`--${state}-${part}`) || 1);

interface Colour {
  /** Spots with the same key have the same colour, and are drawn together. */
  key: number;
  light: string;
  dark: string;
}

/** Returns a pair of colours with the same contrast on a light and on a dark background. */
const colourPair = (key: number, hue: number, chroma = 1): Colour => ({
  key,
  light: `oklch(0.56 ${0.15 * chroma} ${hue})`,
  dark: `oklch(0.8 ${0.145 * chroma} ${hue})`,
});

/** Returns a colour between orange (generation 0) and violet, by way of green and blue. */
export const generationColour = (generation: number, maxGeneration: number): Colour => {
  const steps = Math.max(3, Math.min(MAX_STEPS, maxGeneration));
  const step = Math.min(generation, steps);
  return colourPair(step, 48 + (step / steps) * 272);
};

/** Returns the colour key of a spot: its generation, or the number of its state. */
const keyOf = ({ node, generation }: Spot, by: Colouring): number => {
  if (by === "generation") return generation;
  return node.state === null ? -1 : STATE_NAMES.indexOf(node.state);
};

const colourOf = (key: number, by: Colouring, maxGeneration: number): Colour => {
  if (by === "generation") return generationColour(key, maxGeneration);
  const state = STATE_NAMES[key];
  return state === undefined
    ? colourPair(key, 0, 0)
    : colourPair(key, partOf(state, "hue"), partOf(state, "chroma"));
};

/** Returns a function from spots to colours, which caches the colours. */
export const palette = (by: Colouring, maxGeneration: number): ((spot: Spot) => Colour) => {
  const cache = new Map<number, Colour>();
  return (spot) => {
    const key = keyOf(spot, by);
    const colour = cache.get(key) ?? colourOf(key, by, maxGeneration);
    cache.set(key, colour);
    return colour;
  };
};

/** Returns a colour as the value of an SVG attribute. */
export const svgColour = ({ light, dark }: Colour): string => `light-dark(${light}, ${dark})`;
