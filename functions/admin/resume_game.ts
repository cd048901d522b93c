/** POST /admin/resume_game/{url_id}: resumes the game. Deadlines move by the play time of the pause. */
import { changeGameClock } from "../../lib/app/game/pause.ts";
import { resumeClock } from "../../lib/domain/game/clock.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PauseResponse, pauseView } from "../../lib/http/gameViews.ts";

export const handler = endpoint({
  route: "POST /admin/resume_game/{url_id}",
  access: "administrator",
  response: { schema: PauseResponse },
  idempotency: { scope: "player" },
  decide: (call) => changeGameClock(call, "resume", resumeClock),
  view: pauseView,
});

export const docs: EndpointDocs = {
  summary: "Resume the game",
  description: "Every deadline moves by the play time of the pause. Idempotent.",
  errors: ["wrong_state"],
  example: {},
};
