/** The colours of infections: by generation, or by what has become of the player. */
import type { State } from "../../api.ts";
import type { Spot } from "./layout.ts";

export type Colouring = "generation" | "state";

/** How many generations have a colour of their own. */
const MAX_STEPS = 10;

const HUES: Record<State, number> = { human: 52, zombie: 128, corpse: 288, spectator: 260 };

interface Colour {
  /** Spots of the same colour are drawn together. */
  key: number;
  light: string;
  dark: string;
}

/** Two colours of equal contrast to a light and to a dark ground. */
const colourPair = (key: number, hue: number, chroma = 1): Colour => ({
  key,
  light: `oklch(0.56 ${0.15 * chroma} ${hue})`,
  dark: `oklch(0.8 ${0.145 * chroma} ${hue})`,
});

/** From orange over green and blue to violet. */
export const generationColour = (generation: number, maxGeneration: number): Colour => {
  const steps = Math.max(3, Math.min(MAX_STEPS, maxGeneration));
  const step = Math.min(generation, steps);
  return colourPair(step, 48 + (step / steps) * 272);
};

/** The number of the colour of a spot: a generation, or the hue of a state. */
const keyOf = ({ node, generation }: Spot, by: Colouring): number => {
  if (by === "generation") return generation;
  return node.state === null ? 0 : HUES[node.state];
};

const colourOf = (key: number, by: Colouring, maxGeneration: number): Colour =>
  by === "generation"
    ? generationColour(key, maxGeneration)
    : colourPair(key, key, key === 0 ? 0 : key === HUES.corpse ? 0.45 : 1);

/** Returns the colours of spots. Each one is made once. */
export const palette = (by: Colouring, maxGeneration: number): ((spot: Spot) => Colour) => {
  const cache = new Map<number, Colour>();
  return (spot) => {
    const key = keyOf(spot, by);
    const colour = cache.get(key) ?? colourOf(key, by, maxGeneration);
    cache.set(key, colour);
    return colour;
  };
};

/** For an attribute of an SVG element. */
export const svgColour = ({ light, dark }: Colour): string => `light-dark(${light}, ${dark})`;
