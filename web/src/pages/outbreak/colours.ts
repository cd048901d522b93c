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

export const colourOf = ({ node, generation }: Spot, by: Colouring, deepest: number): Colour => {
  if (by === "generation") return generationColour(generation, deepest);
  const { state } = node;
  const hue = state === null ? 0 : HUES[state];
  return both(hue, hue, state === null ? 0 : state === "corpse" ? 0.45 : 1);
};

/** For an attribute of an SVG element. */
export const paint = ({ light, dark }: Colour): string => `light-dark(${light}, ${dark})`;
