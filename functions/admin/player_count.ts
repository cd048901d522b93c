/** GET /admin/player_count/{url_id}: counts the players in each state. */
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CountsView } from "../../lib/http/views.ts";
import { hiddenFrom, shownCounts } from "../../lib/store/hiddenOriginals.ts";

export const handler = endpoint({
  route: "GET /admin/player_count/{url_id}",
  access: "administrator",
  response: { schema: CountsView },
  run: async ({ game, now, player, respond, services: { store } }) => {
    const hidden = hiddenFrom(store.db, player, game, now);
    return respond(await shownCounts(await store.counts(game, now), hidden, game, now));
  },
});

export const docs: EndpointDocs = {
  summary: "Count the players in each state",
  description: "Zombies count as corpses from the moment they starve.",
  example: {},
};
