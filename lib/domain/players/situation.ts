/** The situation of the game: its phase, in which nights, pauses and the time between seasons are told apart. */
import { registrationOf } from "../accounts/registration.ts";
import { isInGrace } from "../game/finish.ts";
import { type Game, phaseOf } from "../game/game.ts";
import { isPlayTime, nextChange } from "../game/schedule.ts";
import { SITUATION_TEXTS, type Situation } from "./situationTexts.ts";

const beforeStart = (game: Game, now: number): Situation => {
  if (game.paused_at !== null) return "paused_before_start";
  if (registrationOf(game, now) !== "closed") return "registration";
  return game.settings.registration === "closed" ? "before_registration" : "before_start";
};

/**
 * The situation of the game at an instant.
 * @param hasBegun whether somebody is a zombie or was killed: a game without a start has not begun before that
 */
export const situationOf = (game: Game, now: number, hasBegun = true): Situation => {
  const phase = phaseOf(game, now);
  if (phase === "ended") return isInGrace(game, now) ? "last_tags" : "ended";
  if (phase === "registration") return beforeStart(game, now);
  const isNight = !isPlayTime(game.schedule, now);
  if (phase === "paused") return isNight ? "paused_at_night" : "paused";
  if (!hasBegun && game.schedule?.starts_at == null) return "between_seasons";
  return isNight ? "night" : "running";
};

/** Formats an instant in the time zone of the game, such as `on Monday at 08:00`. */
const zonedText = (instant: number, timeZone: string): string => {
  const parts = { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return `on ${new Intl.DateTimeFormat("en", { ...parts, timeZone }).format(instant).replace(/,? (?=\d)/, " at ")}`;
};

/** The sentence about what comes next, with its time in the time zone of the game. */
export const nextText = (game: Game, now: number): string => {
  const { finish, schedule } = game;
  const { text, at } = SITUATION_TEXTS[situationOf(game, now)];
  const instants = {
    end: schedule?.ends_at ?? null,
    grace: finish?.final_at ?? null,
    next: nextChange(schedule, now),
  };
  const instant = instants[at ?? "next"];
  return text(instant === null || schedule === null ? null : zonedText(instant, schedule.time_zone));
};
