/** GET /seasons/{season_id}: the recap of a season. */
import { readPastSeason } from "../../lib/app/game/pastSeasons.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { SEASON_PROSE, SeasonRecap } from "../../lib/http/seasons.ts";

export const handler = endpoint({
  route: "GET /seasons/{season_id}",
  access: "visitor",
  response: { schema: SeasonRecap },
  read: (call) => readPastSeason(call, call.path.season_id ?? ""),
});

export const docs: EndpointDocs = {
  summary: "Read the recap of a season",
  description:
    "What a season was: its result, the numbers over time, who infected whom, the best players, the missions and the awards. Also of the present season, once its result is known. Players are named if they have agreed to it (`named_in_past` of `/edit_player`), and everybody sees their own alias; the others, and those whose accounts are deleted, are `null`. Without a token, everybody is named or not as for the other players.",
  errors: ["not_found"],
  fields: SEASON_PROSE,
  example: {
    finished: true,
    path: ({ season }) => ({ season_id: season ?? "01900000-0000-7000-8000-000000000000" }),
  },
};
