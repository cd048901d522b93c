/** GET /interactions/awards/{url_id}: the awards of a game that has ended. */
import { AwardsView, recentAwards } from "../../lib/app/hunts/awards.ts";
import { requireAwards } from "../../lib/domain/awards.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/awards/{url_id}",
  access: "player",
  response: { schema: AwardsView },
  run: async (call) => {
    const { game, now, player, services } = call;
    requireAwards(game, player.is_admin, now);
    return call.respond(await recentAwards(services.store, game, now));
  },
});
