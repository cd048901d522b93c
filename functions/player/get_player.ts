/** POST /get_player/{url_id}: reads a player's public profile by alias or `player_ref`. */
import * as z from "zod/mini";
import { findPlayerByAliasOrRef } from "../../lib/app/currentState.ts";
import { publicPlayer } from "../../lib/app/shown.ts";
import { roleOf } from "../../lib/domain/players/player.ts";
import { shownPlayer } from "../../lib/domain/players/visibility.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf, PlayerReference } from "../../lib/http/fields.ts";
import { PublicPlayer } from "../../lib/http/views.ts";

const PlayerName = z
  .strictObject({ alias: z.optional(AliasRef), player_ref: z.optional(PlayerReference) })
  .check(exactlyOneOf("alias", "player_ref"));

export const handler = endpoint({
  route: "POST /get_player/{url_id}",
  access: "player",
  request: { body: PlayerName },
  response: { schema: PublicPlayer },
  run: async (call) => {
    const { body, game, now, player: viewer, services } = call;
    const player = await findPlayerByAliasOrRef(services.store, body);
    const current = await services.store.gameFor(game, player);
    const shown = shownPlayer(player, viewer, current, now);
    return call.respond(publicPlayer(shown, roleOf(player), current, now));
  },
});

export const docs: EndpointDocs = {
  summary: "Read another player",
  description: "The public profile of a player, named by exactly one of `alias` and `player_ref`.",
  example: { body: { alias: "Zed" } },
};
