/** POST /admin/pause_game/{url_id}: pauses the game. Nobody starves and hunts are rejected until it is resumed. */
import { changeGameClock } from "../../lib/app/game/pause.ts";
import { pauseClock } from "../../lib/domain/game/clock.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PauseResponse, pauseView } from "../../lib/http/gameViews.ts";

export const handler = endpoint({
  route: "POST /admin/pause_game/{url_id}",
  access: "administrator",
  response: { schema: PauseResponse },
  idempotency: { scope: "player" },
  decide: (call) => changeGameClock(call, "pause", pauseClock),
  view: pauseView,
});

export const docs: EndpointDocs = {
  summary: "Pause the game",
  description: "Nobody starves and no hunt counts until the game is resumed. Idempotent.",
  errors: ["wrong_state"],
  example: {},
};
