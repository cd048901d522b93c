/** GET /pfp/{url_id}: a player's own picture. */
import { showPicture } from "../../lib/app/accounts/showPicture.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PictureBytes } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "GET /pfp/{url_id}",
  access: "player",
  response: { schema: PictureBytes },
  run: ({ player, services, timeLeft }) => showPicture(services.store, player, timeLeft),
});
