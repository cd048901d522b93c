/** The colours of infections: by generation, or by what has become of the player. */
import type { State } from "../../api.ts";
import type { Spot } from "./layout.ts";

export type Colouring = "generation" | "state";

/** How many generations have a colour of their own. */
const STEPS = 10;

const HUES: Record<State, number> = { human: 52, zombie: 128, corpse: 288, spectator: 260 };

interface Colour {
  /** Spots of the same colour are drawn together. */
  key: number;
  light: string;
  dark: string;
}

/** Two colours of equal contrast to a light and to a dark ground. */
const both = (key: number, hue: number, chroma = 1): Colour => ({
  key,
  light: `oklch(0.56 ${0.15 * chroma} ${hue})`,
  dark: `oklch(0.8 ${0.145 * chroma} ${hue})`,
});

/** From orange over green and blue to violet. */
export const generationColour = (generation: number, deepest: number): Colour => {
  const steps = Math.max(3, Math.min(STEPS, deepest));
  const step = Math.min(generation, steps);
  return both(step, 48 + (step / steps) * 272);
};

/** The number of the colour of a spot: a generation, or the hue of a state. */
const keyOf = ({ node, generation }: Spot, by: Colouring): number => {
  if (by === "generation") return generation;
  return node.state === null ? 0 : HUES[node.state];
};

const colourOf = (key: number, by: Colouring, deepest: number): Colour =>
  by === "generation"
    ? generationColour(key, deepest)
    : both(key, key, key === 0 ? 0 : key === HUES.corpse ? 0.45 : 1);

/** Returns the colours of spots. Each one is made once. */
export const palette = (by: Colouring, deepest: number): ((spot: Spot) => Colour) => {
  const made = new Map<number, Colour>();
  return (spot) => {
    const key = keyOf(spot, by);
    const colour = made.get(key) ?? colourOf(key, by, deepest);
    made.set(key, colour);
    return colour;
  };
};

/** For an attribute of an SVG element. */
export const paint = ({ light, dark }: Colour): string => `light-dark(${light}, ${dark})`;
