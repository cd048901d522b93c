/** What is announced about the end of a season, to everybody. */
import type { Game } from "./game.ts";
import type { SeasonResult } from "./seasonResult.ts";

/** What a result says, in pushes and on every page. */
export const RESULT_TEXTS: Readonly<Record<SeasonResult, string>> = {
  humans: "The humans have won",
  zombies: "The zombies have won",
  both: "Both sides have won",
  none: "Nobody has won",
};

interface SeasonMessage {
  title: string;
  content: string;
}

const timeOf = (instant: number, { schedule }: Game): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: schedule?.time_zone ?? "UTC",
    ...{ weekday: "short", hour: "2-digit", minute: "2-digit" },
    timeZoneName: "short",
  }).format(instant);

/** What is said when play is over. @param until the end of the grace, as an instant */
export const graceMessage = (game: Game, until: number): SeasonMessage => ({
  title: "Play is over",
  content: `Tags from now on do not count. Report those from before until ${timeOf(until, game)}: then the result is known.`,
});

/** What is said when the grace is over. */
export const resultMessage = (result: SeasonResult, note: string | null): SeasonMessage => ({
  title: `${RESULT_TEXTS[result]}.`,
  content: `${note === null ? "" : `${note}\n\n`}The season is over, and its awards are given. Thank you for playing.`,
});

/** What is said when a game master has reopened the season. @param wasKnown whether a result was known */
export const reopenedMessage = (wasKnown: boolean): SeasonMessage => ({
  title: "The season is not over yet",
  content: `${wasKnown ? "A game master has taken its result back. " : ""}The game is paused until a game master resumes it.`,
});
