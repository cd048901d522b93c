/**
 * The game's sign: a dot for each player, in the pattern of a sunflower. Pages, the icons and the picture of a shared link
 * draw it.
 */
import { type CounterOf, counterOf, type PlayingState, TAKING_PART } from "./states.ts";

/**
 * The colours of the sides, and of text on them, for what has no style sheet: icons and pictures. Those of pages are in
 * web/src/styles/base.css.
 */
export const SIDES: Readonly<Record<PlayingState, { fill: string; ink: string }>> = {
  human: { fill: "#ec6f2b", ink: "#2b1304" },
  zombie: { fill: "#b0e85f", ink: "#0f2405" },
  corpse: { fill: "#a79fce", ink: "#1c1735" },
};

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** The place of a dot, of so many, in a circle of this radius around the origin. The first ones are in the centre. */
export const dotAt = (dot: number, size: number, radius: number): readonly [x: number, y: number] => {
  const distance = radius * Math.sqrt((dot + 0.5) / size);
  return [distance * Math.cos(dot * GOLDEN_ANGLE), distance * Math.sin(dot * GOLDEN_ANGLE)];
};

/** The diameter of the dots, which leaves some space between them. */
export const dotWidth = (size: number, radius: number): number => (1.39 * radius) / Math.sqrt(size);

const MIN_DOTS = 60;
const MAX_DOTS = 400;
/** The dots of a game without players. */
const NO_PLAYERS = 200;

/** The numbers of players by the name of the counter. */
export type Numbers = Readonly<Record<CounterOf<PlayingState>, number>>;

/** The number of players with a dot: spectators, such as game masters, have none. */
export const inPlay = (counts: Numbers): number =>
  TAKING_PART.reduce((sum, state) => sum + counts[counterOf(state)], 0);

/** From the centre outwards. */
const ORDER = TAKING_PART.toReversed();

/**
 * The state of each dot, from the centre outwards: corpses, zombies, humans. A dot is a player, unless there are very few or
 * very many. Without players it is a game that is about to begin.
 */
export const dotsOf = (counts: Numbers): PlayingState[] => {
  const total = inPlay(counts);
  const size = Math.min(MAX_DOTS, total === 0 ? NO_PLAYERS : Math.max(total, MIN_DOTS));
  return Array.from({ length: size }, (_, dot) => {
    if (total === 0) return dot < 3 ? "zombie" : "human";
    let rank = ((dot + 0.5) / size) * total;
    const found = ORDER.find((state) => {
      rank -= counts[counterOf(state)];
      return rank < 0;
    });
    return found ?? "human";
  });
};

/**
 * The paths of dots for SVG by what they belong to: hundreds of circles render slowly, and a line of zero length with round
 * caps is a dot.
 */
export const dotPaths = <K>(dots: readonly K[], radius: number): Map<K, string> => {
  const paths = new Map<K, string>();
  for (const [at, key] of dots.entries()) {
    const [x, y] = dotAt(at, dots.length, radius);
    paths.set(key, `${paths.get(key) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  }
  return paths;
};
