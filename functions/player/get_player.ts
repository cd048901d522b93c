/** POST /get_player/{url_id}: another player's public information, by alias. */
import * as z from "zod/mini";
import { findPlayer } from "../../lib/app/currentState.ts";
import { roleOf } from "../../lib/domain/player.ts";
import { shownPlayer } from "../../lib/domain/visibility.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef } from "../../lib/http/fields.ts";
import { PublicPlayer, publicPlayer } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /get_player/{url_id}",
  access: "player",
  request: { body: z.strictObject({ alias: AliasRef }) },
  response: { schema: PublicPlayer },
  run: async (call) => {
    const { body, game, now, player: viewer, services } = call;
    const player = await findPlayer(services.store, body);
    const current = await services.store.gameFor(game, player);
    const shown = shownPlayer(player, viewer, current, now);
    return call.respond(publicPlayer(shown, roleOf(player), current, now));
  },
});
