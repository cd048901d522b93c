/** The sign of the game: a dot a player in a sunflower pattern, corpses in the centre, humans outside. */
import { useMemo } from "preact/hooks";
import { dotAt, dotPaths, dotsOf, dotWidth, type Numbers } from "../../../lib/domain/players/spiral.ts";
import { byCounter, TAKING_PART } from "../../../lib/domain/players/states.ts";
import type { State } from "../schemas.ts";
import "./crowd.css";

/** A game before its start. */
const NOBODY: Numbers = byCounter(TAKING_PART, () => 0);
/** The radius of the circle of dots, in a drawing of 232 by 232. */
const RADIUS = 104;

interface CrowdProps {
  counts?: Numbers | undefined;
  /** The side of a player whose dot is larger. */
  own?: State;
  /** What it shows, for a drawing that is more than decoration. */
  label?: string;
}

export const Crowd = ({ counts = NOBODY, own, label }: CrowdProps) => {
  // Pages with a countdown are drawn every second.
  const { paths, width, dot } = useMemo(() => {
    const dots: readonly State[] = dotsOf(counts);
    const last = own === undefined ? -1 : dots.lastIndexOf(own);
    return {
      paths: [...dotPaths(dots, RADIUS)],
      width: dotWidth(dots.length, RADIUS),
      dot: last < 0 ? null : dotAt(last, dots.length, RADIUS),
    };
  }, [counts, own]);
  return (
    <svg
      class="crowd"
      viewBox="-116 -116 232 232"
      stroke-width={width}
      role={label === undefined ? undefined : "img"}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {paths.map(([state, path]) => (
        <path key={state} class={state === own ? "crowd-side" : undefined} data-state={state} d={path} />
      ))}
      {dot === null ? null : (
        <path class="crowd-own" data-state={own} d={`M${dot.join(" ")}h0`} stroke-width={1.8 * width} />
      )}
    </svg>
  );
};
