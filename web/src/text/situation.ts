/** The texts of the game's situation, with the times of this device. */
import { RESULT_TEXTS } from "../../../lib/domain/game/seasonMessages.ts";
import type { PublicGame } from "../schemas.ts";
import { en } from "./en.ts";
import { timeText } from "./times.ts";

export type GameNow = Pick<
  PublicGame,
  "situation" | "phase" | "next_change_at" | "ends_at" | "grace_until" | "result"
>;

// A game that an earlier version of the app has stored has only a phase. Each phase is a situation, too.
const textsOf = ({ situation, phase }: GameNow) => en.situations[situation] ?? en.situations[phase];

/** Whether play has not begun: before the start or, without one, before the first zombie. */
export const isBeforePlay = ({ phase, situation }: Pick<GameNow, "phase" | "situation">): boolean =>
  phase === "registration" || situation === "between_seasons";

/** The time that the sentence of the situation names, and to which a page counts down. */
const namedTime = (game: GameNow): string | null => {
  const { next_change_at, ends_at, grace_until } = game;
  // One that an earlier version of the app has stored has no grace.
  return { next: next_change_at, end: ends_at, grace: grace_until ?? null }[textsOf(game).at ?? "next"];
};

/** The heading of the situation, such as `The game is paused`; of a season with a result, who has won. */
export const situationTitle = (game: GameNow): string => {
  const { result } = game;
  // One that an earlier version of the app has stored has no result.
  return result == null ? textsOf(game).title : RESULT_TEXTS[result];
};

/** The sentence about what comes next. @param at the time, in milliseconds since 1970 */
export const situationText = (game: GameNow, at: number): string => {
  const time = namedTime(game);
  return textsOf(game).text(time === null ? null : timeText(Date.parse(time), at));
};

/** The time to count down to, in milliseconds since 1970; `null` if nothing happens by itself. */
export const countdownEnd = (game: GameNow): number | null => {
  const time = namedTime(game);
  return textsOf(game).countsDown === true && time !== null ? Date.parse(time) : null;
};
