/** GET /pfp/{url_id}: a player's own picture. */
import { endpoint } from "../../lib/http/endpoint.ts";
import { PictureBytes, pictureResponse } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "GET /pfp/{url_id}",
  access: "player",
  response: { schema: PictureBytes },
  run: async ({ player, services }) => pictureResponse(await services.store.picture(player.player_id)),
});
