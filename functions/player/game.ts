/** GET /game/{url_id}: the state of the whole game. */
import { GameView, gameView } from "../../lib/app/game/gameView.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /game/{url_id}",
  access: "player",
  response: { schema: GameView },
  run: async ({ game, now, respond, services }) =>
    respond(gameView(services, game, now, await services.store.counts(game, now))),
});

export const docs: EndpointDocs = {
  summary: "Read the state of the game",
  description: "The phase and the schedule, the checkpoint, and how many players are in each state.",
  example: {},
};
