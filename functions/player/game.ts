/** GET /game/{url_id}: the state of the whole game. */
import { GameView, gameView } from "../../lib/app/game/gameView.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { hiddenFrom, shownCounts } from "../../lib/store/hunts/hiddenOriginals.ts";

export const handler = endpoint({
  route: "GET /game/{url_id}",
  access: "player",
  response: { schema: GameView },
  run: async ({ game, now, player, respond, services }) => {
    const { store } = services;
    const hidden = hiddenFrom(store.db, player, game, now);
    const counts = await shownCounts(await store.counts(game, now), hidden, game, now);
    return respond(gameView(services, game, now, counts));
  },
});

export const docs: EndpointDocs = {
  summary: "Read the state of the game",
  description: "The phase and the schedule, the checkpoint, and how many players are in each state.",
  example: {},
};
