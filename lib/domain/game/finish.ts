/**
 * The end of a season: `ended` is a phase with a result (decision 130). Finishing a season ends the schedule where play stopped,
 * so that the clock, hunger and late tags need no rule of their own; what happened before is played until the grace is over.
 */
import { DomainError } from "../domainError.ts";
import { rfc3339, SECOND } from "../time.ts";
import { type Game, phaseOf } from "./game.ts";
import type { Schedule } from "./schedule.ts";
import type { Finish, SeasonResult } from "./seasonResult.ts";

/** What a game master declares. */
export interface FinishRequest {
  result: SeasonResult;
  note: string | null;
  /** How long tags from before the end are still accepted, in seconds. */
  graceSeconds: number;
}

/** When play stopped, or stops now: the end of the schedule, the beginning of a pause, or now. */
const endOfPlay = ({ schedule, paused_at }: Game, now: number): number =>
  Math.max(
    schedule?.starts_at ?? Number.NEGATIVE_INFINITY,
    Math.min(schedule?.ends_at ?? now, paused_at ?? now, now),
  );

const wrongState = (detail: string): DomainError => new DomainError("wrong_state", detail);

/**
 * The game with its result. A pause ends with the season, and play ended when it began.
 * @param seasonId a new id, for a season that was not finished before
 * @throws DomainError `wrong_state` for a season that is finished, or has not started
 */
export const finishGame = (
  game: Game,
  { result, note, graceSeconds }: FinishRequest,
  seasonId: string,
  now: number,
): Game & { finish: Finish } => {
  if (game.finish !== null)
    throw wrongState("The season is finished already. Reopen it to change its result.");
  if (phaseOf(game, now) === "registration")
    throw wrongState("The season has not started, so that it has no result yet.");
  const { schedule } = game;
  const ends_at = endOfPlay(game, now);
  // All time before `since` counts as play time.
  const since = Math.min(schedule?.since ?? ends_at, ends_at);
  const ended: Schedule =
    schedule === null
      ? { since, time_zone: "UTC", starts_at: null, ends_at, play_hours: null }
      : { ...schedule, since, ends_at };
  const final_at = now + graceSeconds * SECOND;
  return {
    ...game,
    schedule: ended,
    paused_at: null,
    finish: { season_id: seasonId, result, note, at: now, final_at, schedule },
  };
};

/**
 * The game without its result. It is paused since play ended, so that nobody starves by the time in between, until a game
 * master resumes it. Original zombies who have been revealed stay revealed.
 * @throws DomainError `wrong_state` for a season that is not finished
 */
export const reopenGame = (game: Game, now: number): Game => {
  const { finish, schedule, settings } = game;
  if (finish === null) throw wrongState("The season is not finished.");
  const isRevealed = settings.hide_originals_since !== null && now >= finish.final_at;
  return {
    ...game,
    schedule: finish.schedule,
    paused_at: schedule?.ends_at ?? now,
    changed_at: now,
    finish: null,
    settings: isRevealed
      ? { ...settings, reveal_originals_at: settings.reveal_originals_at ?? rfc3339(finish.final_at) }
      : settings,
  };
};

/** Whether the season is finished and its grace is over: the result is known, and nothing is played any more. */
export const isFinal = ({ finish }: Game, now: number): boolean => finish !== null && now >= finish.final_at;

/** Whether tags from before the end are still accepted. */
export const isInGrace = ({ finish }: Game, now: number): boolean => finish !== null && now < finish.final_at;

/** The id of the recap of the season, once there may be one. */
export const recapIdOf = (game: Game, now: number): string | null =>
  isFinal(game, now) ? (game.finish?.season_id ?? null) : null;

/** The result as everybody may know it. */
export const resultOf = (game: Game, now: number) => {
  const { finish } = game;
  const known = finish !== null && isFinal(game, now) ? finish : null;
  return {
    result: known?.result ?? null,
    result_note: known?.note ?? null,
    grace_until: finish !== null && isInGrace(game, now) ? rfc3339(finish.final_at) : null,
  };
};

/** Requires that the game may still be changed by play or by a game master. @throws DomainError `not_running` */
export const requireNotFinal = (game: Game, now: number): void => {
  if (!isFinal(game, now)) return;
  throw new DomainError(
    "not_running",
    "The season is finished: nothing that was played changes any more, unless a game master reopens it.",
  );
};

/** Requires a season without a result, of whose clock the end is not fixed. @throws DomainError `wrong_state` */
export const requireUnfinished = ({ finish }: Game): void => {
  if (finish !== null) throw wrongState("The season is finished: reopen it first.");
};

/** Requires that no result is about to be announced, which the recap of a reset would tell before. @throws DomainError `wrong_state` */
export const requireNoGrace = (game: Game, now: number): void => {
  if (isInGrace(game, now))
    throw wrongState(
      "The result is not announced yet. Begin a new season when the time for the last tags is over, or reopen this one.",
    );
};
