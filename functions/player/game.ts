/** GET /game/{url_id}: the state of the whole game. */
import { readGame } from "../../lib/app/game/gameView.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { GameView } from "../../lib/http/gameViews.ts";

export const handler = endpoint({
  route: "GET /game/{url_id}",
  access: "player",
  response: { schema: GameView },
  read: readGame,
});

export const docs: EndpointDocs = {
  summary: "Read the state of the game",
  description: "The phase and the schedule, the checkpoint, and how many players are in each state.",
  example: {},
};
