/** The texts of the game's situation, with the times of this device. */
import type { PublicGame } from "../schemas.ts";
import { en } from "./en.ts";
import { timeText } from "./times.ts";

export type GameNow = Pick<PublicGame, "situation" | "phase" | "next_change_at" | "ends_at">;

// A game that an earlier version of the app has stored has only a phase. Each phase is a situation, too.
const textsOf = ({ situation, phase }: GameNow) => en.situations[situation] ?? en.situations[phase];

/** Whether play has not begun: before the start or, without one, before the first zombie. */
export const isBeforePlay = ({ phase, situation }: Pick<GameNow, "phase" | "situation">): boolean =>
  phase === "registration" || situation === "between_seasons";

/** The heading of the situation, such as `The game is paused`. */
export const situationTitle = (game: GameNow): string => textsOf(game).title;

/** The sentence about what comes next. @param at the time, in milliseconds since 1970 */
export const situationText = (game: GameNow, at: number): string => {
  const texts = textsOf(game);
  const time = texts.at === "end" ? game.ends_at : game.next_change_at;
  return texts.text(time === null ? null : timeText(Date.parse(time), at));
};

/** The time to count down to, in milliseconds since 1970; `null` if nothing happens by itself. */
export const countdownEnd = (game: GameNow): number | null =>
  textsOf(game).countsDown === true && game.next_change_at !== null ? Date.parse(game.next_change_at) : null;
