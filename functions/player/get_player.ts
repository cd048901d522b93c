/** POST /get_player/{url_id}: reads a player's public profile by alias or `player_ref`. */
import * as z from "zod/mini";
import { showProfile } from "../../lib/app/players/publicProfiles.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf, PlayerReference } from "../../lib/http/fields.ts";
import { PublicProfile } from "../../lib/http/views.ts";

const PlayerName = z
  .strictObject({ alias: z.optional(AliasRef), player_ref: z.optional(PlayerReference) })
  .check(exactlyOneOf("alias", "player_ref"));

export const handler = endpoint({
  route: "POST /get_player/{url_id}",
  access: "player",
  request: { body: PlayerName },
  response: { schema: PublicProfile },
  read: (call) => showProfile(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Read another player",
  description: "The public profile of a player, named by exactly one of `alias` and `player_ref`.",
  example: { body: { alias: "Zed" } },
};
