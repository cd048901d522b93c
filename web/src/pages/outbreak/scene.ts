/** What both ways to draw the picture are given. */
import type { ReadonlySignal } from "@preact/signals";
import type { Colouring } from "./colours.ts";
import type { Picture, Spot } from "./layout.ts";
import type { Size, View } from "./view.ts";

export interface SceneProps {
  picture: Picture;
  view: ReadonlySignal<View>;
  size: Size;
  /** How many infections there are at the time of the replay. */
  shown: ReadonlySignal<number>;
  labels: ReadonlySignal<readonly Spot[]>;
  colouring: Colouring;
  /** The line that stands out. */
  highlighted: ReadonlySet<Spot>;
  /** Whether everything else is faint. */
  isDimmed: boolean;
  /** The player's own spots. */
  own: ReadonlySet<Spot>;
  selected: Spot | null;
}

/** The first letter of an alias, or a question mark for somebody who is not named. */
export const initialOf = ({ node }: Spot): string =>
  [...(node.alias ?? "?")][0]?.toLocaleUpperCase("en") ?? "?";

/** How a spot is drawn that is not a usual one. */
export const kindOf = ({ node, isLoose }: Spot): "hidden" | "voided" | "loose" | "usual" => {
  if (node.hidden === true) return "hidden";
  if (node.voided) return "voided";
  return isLoose ? "loose" : "usual";
};
