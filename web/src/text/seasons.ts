/** The English texts of past seasons. */
import { RESULT_TEXTS } from "../../../lib/domain/game/seasonMessages.ts";
import type { SeasonLine } from "../schemas.ts";
import { en, numberText } from "./en.ts";
import { yearDayText } from "./times.ts";

const dayOf = (time: string): string => yearDayText(Date.parse(time));

const OWN: Readonly<Record<string, string>> = {
  human: "You survived",
  zombie: "You ended as a zombie",
  corpse: "You died",
};

const seasons = (n: number): string => `${numberText(n)} ${n === 1 ? "season" : "seasons"}`;

export const seasonTexts = {
  title: "Seasons",
  empty: "No season has ended yet. When one has, you find here what happened in it.",
  /** What the seasons were for the player. */
  all: (played: number, survived: number, kills: number) =>
    `You have played in ${seasons(played)}, survived ${numberText(survived)} and have ${en.counts.kills(kills)}.`,
  result: ({ result }: Pick<SeasonLine, "result">) =>
    result === null ? "It ended without a result" : RESULT_TEXTS[result],
  own: ({ own }: Pick<SeasonLine, "own">) => {
    if (own === null) return "You did not play";
    const kills = own.kills === 0 ? "" : `, with ${en.counts.kills(own.kills)}`;
    return `${OWN[own.state] ?? "You played"}${kills}`;
  },
  days: ({ started_at, ended_at }: Pick<SeasonLine, "started_at" | "ended_at">) => {
    const last = dayOf(ended_at);
    if (started_at === null) return `Until ${last}`;
    const first = dayOf(started_at);
    return first === last ? last : `${first} to ${last}`;
  },
  toAll: "All seasons",
  toGame: "About the game",
  numbers: "Over time",
  curve: "The numbers of humans, zombies and corpses over the season, as in the table below.",
  board: "Most tags",
  tree: "Who tagged whom",
  missions: "Missions",
  someone: "a player",
  unnamed: (n: number) => (n === 1 ? "a player" : `${numberText(n)} players`),
  why: "Players are named here if they have agreed to it.",
  change: "Change that for yourself",
  none: "Nothing is known of this season.",
};
