/** GET /seasons: the past seasons, and what each was for the caller. */
import * as z from "zod/mini";
import { listSeasons } from "../../lib/app/game/pastSeasons.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { SEASON_FIELDS, SEASON_PROSE } from "../../lib/http/seasons.ts";

export const handler = endpoint({
  route: "GET /seasons",
  access: "visitor",
  response: { schema: z.object({ seasons: z.array(z.object(SEASON_FIELDS)) }) },
  read: listSeasons,
});

export const docs: EndpointDocs = {
  summary: "List the past seasons",
  description:
    "The seasons that a new one has followed, the latest first, at most 50, with what each was for the caller: what somebody did in all seasons follows from these lines. Without a token, `own` is `null`.",
  fields: SEASON_PROSE,
  example: {},
};
