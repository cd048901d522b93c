/** POST /admin/reopen_season/{url_id}: takes the result of the season back. */
import * as z from "zod/mini";
import { reopenSeason } from "../../lib/app/game/finishSeason.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/reopen_season/{url_id}",
  access: "administrator",
  response: { schema: z.object({ paused_since: Timestamp }) },
  idempotency: { scope: "player" },
  decide: reopenSeason,
});

export const docs: EndpointDocs = {
  summary: "Reopen the season",
  description:
    "Takes back the result of a finished season and the awards of its game masters, and tells everybody. The game is paused since play was over, so that nobody starves by the time in between: change what was wrong and finish it again, or resume it. The schedule is as before the finish. Original zombies who were revealed stay revealed. `GET /admin/season` keeps both entries.",
  errors: ["wrong_state", "busy"],
  fields: { paused_since: "Since when the game is paused: when play was over." },
  example: { finished: true },
};
