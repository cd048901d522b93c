/** A dot per player in a sunflower pattern: zombies in the centre, then humans, then corpses. */
import { useMemo } from "preact/hooks";
import type { PublicGame } from "../../../state/api.ts";
import { screenTexts } from "../../../text/screenTexts.ts";

/** The golden angle, which fills a disc evenly with any number of dots. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

type Numbers = Pick<PublicGame["counts"], "humans" | "zombies" | "corpses">;

const stateAt = (at: number, { humans, zombies }: Numbers): string => {
  if (at < zombies) return "zombie";
  return at < zombies + humans ? "human" : "corpse";
};

const dotsOf = (numbers: Numbers, all: number) =>
  Array.from({ length: all }, (_, at) => (
    <circle
      key={at}
      cx={(Math.sqrt(at + 0.5) * Math.cos(at * GOLDEN_ANGLE)).toFixed(2)}
      cy={(Math.sqrt(at + 0.5) * Math.sin(at * GOLDEN_ANGLE)).toFixed(2)}
      r="0.72"
      data-state={stateAt(at, numbers)}
    />
  ));

export const Swarm = ({ humans, zombies, corpses }: Numbers) => {
  const all = humans + zombies + corpses;
  const dots = useMemo(() => dotsOf({ humans, zombies, corpses }, all), [humans, zombies, corpses]);
  const side = Math.sqrt(all) + 1;
  return (
    <svg
      class="swarm"
      viewBox={`${-side} ${-side} ${2 * side} ${2 * side}`}
      role="img"
      aria-label={screenTexts.swarm}
    >
      {dots}
    </svg>
  );
};
