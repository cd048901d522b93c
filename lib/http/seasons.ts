/** Past seasons in responses. */
import * as z from "zod/mini";
import { SEASON_RESULTS } from "../domain/game/seasonResult.ts";
import { MissionResult } from "../domain/missions/mission.ts";
import { State } from "../domain/players/player.ts";
import { integer, nullableInteger, nullableText, text } from "../domain/schemas.ts";
import { AWARDS_PROSE, Awards } from "./awards.ts";
import { CountsView, StatisticsPoint, statisticsProse } from "./counts.ts";
import { Timestamp } from "./views.ts";

const OptionalTime = z.nullable(Timestamp);

const LINE_FIELDS = {
  state: State,
  kills: integer,
  points: integer,
  infected_at: OptionalTime,
  died_at: OptionalTime,
};

export const SEASON_FIELDS = {
  season_id: text,
  name: text,
  started_at: OptionalTime,
  ended_at: Timestamp,
  result: z.nullable(z.enum(SEASON_RESULTS)),
  note: nullableText,
  counts: CountsView,
  own: z.nullable(z.object(LINE_FIELDS)),
};

export const SeasonRecap = z.lazy(() =>
  z.object({
    ...SEASON_FIELDS,
    curve: z.array(StatisticsPoint),
    tree: z.array(
      z.object({ alias: nullableText, parent: nullableInteger, infected_at: Timestamp, kills: integer }),
    ),
    board: z.array(z.object({ alias: nullableText, ...LINE_FIELDS })),
    missions: z.array(
      z.object({
        title: text,
        starts_at: Timestamp,
        ends_at: Timestamp,
        result: MissionResult,
        note: nullableText,
      }),
    ),
    awards: Awards,
  }),
);

export const SEASON_PROSE: Readonly<Record<string, string>> = {
  ...AWARDS_PROSE,
  ...statisticsProse(),
  seasons: "The seasons.",
  season_id: "The id of the season.",
  name: "What the game was called.",
  started_at: "When it started; `null` if nobody knows.",
  ended_at: "When play was over.",
  result: "Who has won; `null` for a season that was not finished.",
  note: "What game masters say about the result.",
  counts: "How many players were in each state at the end.",
  own: "What the season was for the caller; `null` if they did not take part.",
  state: "What the player was at the end.",
  kills: "Tags.",
  points: "Points of codes and missions.",
  infected_at: "When the player became a zombie; `null` for who ended as a human.",
  died_at: "When the player died; `null` for who did not.",
  curve: "The numbers over time, by the hour or, of a long season, by the day.",
  tree: "Those who became zombies, each after who infected them.",
  parent: "The place in this list of who infected them; `null` for an original zombie.",
  board: "The 50 players with the most tags.",
  missions: "The missions that were closed.",
  starts_at: "When it began.",
  ends_at: "When it ended.",
  awards: "What was awarded, to the players who are named.",
  alias: "The player; `null` for who has not agreed to be named, or has left.",
};
