/** Which missions are known, which comes next, and which are over. Pure: times are arguments, in milliseconds since 1970. */
import type { Mission } from "../schemas.ts";

/**
 * The missions of which players know, with the briefings that are revealed: game masters read drafts and what is not
 * revealed, too.
 */
export const publishedOf = (missions: readonly Mission[], at: number): Mission[] =>
  missions
    .map((one) => ({
      ...one,
      briefings: one.briefings.filter(({ reveal_at }) => Date.parse(reveal_at) <= at),
    }))
    .filter(({ draft, briefings }) => draft !== true && briefings.length > 0);

const isOver = ({ ends_at, closed_at }: Mission, at: number): boolean =>
  closed_at !== null || Date.parse(ends_at) <= at;

const byStart = (one: Mission, other: Mission): number =>
  Date.parse(one.starts_at) - Date.parse(other.starts_at);

/** The missions that are not over, the next first, and those that are, the latest first. */
export const inOrder = (
  all: readonly Mission[],
  at: number,
): { coming: readonly Mission[]; past: readonly Mission[] } => ({
  coming: all.filter((one) => !isOver(one, at)).toSorted(byStart),
  past: all
    .filter((one) => isOver(one, at))
    .toSorted(byStart)
    .toReversed(),
});

/** The mission that goes on or comes next; `undefined` if there is none. */
export const nextMission = (all: readonly Mission[], at: number): Mission | undefined =>
  inOrder(all, at).coming[0];
