/** A dot per player in a sunflower pattern: zombies in the centre, then the other states. */
import { useMemo } from "preact/hooks";
import { counterOf, type State, TAKING_PART } from "../../../../../lib/domain/players/states.ts";
import type { PublicGame } from "../../../state/api.ts";
import { screenTexts } from "../../../text/screenTexts.ts";

/** The golden angle, which fills a disc evenly with any number of dots. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** From the centre outwards. */
const ORDER = ["zombie", ...TAKING_PART.filter((state) => state !== "zombie")] as const;

const dotsOf = (states: readonly State[]) =>
  states.map((state, at) => (
    <circle
      key={at}
      cx={(Math.sqrt(at + 0.5) * Math.cos(at * GOLDEN_ANGLE)).toFixed(2)}
      cy={(Math.sqrt(at + 0.5) * Math.sin(at * GOLDEN_ANGLE)).toFixed(2)}
      r="0.72"
      data-state={state}
    />
  ));

export const Swarm = ({ counts }: Pick<PublicGame, "counts">) => {
  const numbers = ORDER.map((state) => counts[counterOf(state)]);
  const dots = useMemo(
    () => dotsOf(ORDER.flatMap((state, n) => new Array<State>(numbers[n] ?? 0).fill(state))),
    numbers,
  );
  const side = Math.sqrt(dots.length) + 1;
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
