/** The props of the SVG and the canvas renderer, and helpers for both. */
import type { ReadonlySignal } from "@preact/signals";
import type { Colouring } from "./colours.ts";
import type { Picture, Spot } from "./layout.ts";
import type { Size, View } from "./view.ts";

export interface SceneProps {
  picture: Picture;
  view: ReadonlySignal<View>;
  size: Size;
  /** The number of infections that the replay shows. */
  visibleCount: ReadonlySignal<number>;
  labels: ReadonlySignal<readonly Spot[]>;
  colouring: Colouring;
  /** The emphasized spots. */
  highlighted: ReadonlySet<Spot>;
  /** Whether all other spots are dimmed. */
  isDimmed: boolean;
  /** The player's own spots. */
  own: ReadonlySet<Spot>;
  selected: Spot | null;
}

/** Returns the first letter of an alias, or a question mark for an unnamed player. */
export const initialOf = ({ node }: Spot): string =>
  [...(node.alias ?? "?")][0]?.toLocaleUpperCase("en") ?? "?";

/** Classifies a spot for its style. */
export const kindOf = ({ node, isLoose }: Spot): "hidden" | "voided" | "loose" | "usual" => {
  if (node.hidden === true) return "hidden";
  if (node.voided) return "voided";
  return isLoose ? "loose" : "usual";
};
