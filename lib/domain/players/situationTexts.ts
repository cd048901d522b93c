/** What the game says of itself in each situation, in pushes and on every page. It imports nothing, so pages use it too. */

/** The situations of a game, from before its registration to the next season. */
export const SITUATIONS = [
  ...(["before_registration", "registration", "before_start", "paused_before_start"] as const),
  ...(["running", "night", "paused", "paused_at_night", "last_tags", "ended", "between_seasons"] as const),
] as const;
export type Situation = (typeof SITUATIONS)[number];

interface SituationText {
  title: string;
  /** A sentence about what comes next. @param when the time that `at` names, as text; `null` if there is none */
  text: (when: string | null) => string;
  /** Which time the sentence names: when play begins or ends next, when the game has ended, or when late tags are over. */
  at?: "next" | "end" | "grace";
  /** Whether a page counts down to that time. What a game master has to end has no countdown. */
  countsDown?: boolean;
}

const starts = (when: string | null): string =>
  when === null ? "The start has not been announced." : `The game starts ${when}.`;

export const SITUATION_TEXTS: Readonly<Record<Situation, SituationText>> = {
  before_registration: {
    title: "Registration is not open",
    text: starts,
    at: "next",
    countsDown: true,
  },
  registration: {
    title: "Registration is open",
    text: starts,
    at: "next",
    countsDown: true,
  },
  before_start: {
    title: "The game has not started",
    text: (when) => `Registration is over. ${starts(when)}`,
    at: "next",
    countsDown: true,
  },
  paused_before_start: {
    title: "The game is paused before its start",
    text: (when) =>
      `${when === null ? "" : `The start is planned for ${when}. `}Play begins only after a game master has resumed the game.`,
    at: "next",
  },
  running: {
    title: "The game is on",
    text: (when) => (when === null ? "No end is planned." : `Play stops ${when}.`),
    at: "next",
    countsDown: true,
  },
  night: {
    title: "Play has stopped until the next play hours",
    text: (when) =>
      `Tags do not count, and nobody gets hungrier. ${when === null ? "No more play hours are planned." : `Play resumes ${when}.`}`,
    at: "next",
    countsDown: true,
  },
  paused: {
    title: "The game is paused",
    text: () => "Nobody starves, and no tag counts, until a game master resumes it.",
  },
  paused_at_night: {
    title: "The game is paused, outside play hours",
    text: (when) =>
      `${when === null ? "" : `The next play hours begin ${when}. `}Even then nobody starves, and no tag counts, until a game master resumes it.`,
    at: "next",
  },
  last_tags: {
    title: "Play is over",
    text: (when) =>
      `Report tags from before the end ${when === null ? "now" : `until ${when}`}. Then the result is known.`,
    at: "grace",
    countsDown: true,
  },
  ended: {
    title: "The game is over",
    text: (when) => (when === null ? "Thank you for playing." : `It ended ${when}. Thank you for playing.`),
    at: "end",
  },
  between_seasons: {
    title: "The season has not begun",
    text: () => "No zombie has been seen yet, and no start has been announced.",
  },
};
