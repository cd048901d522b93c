/** GET /pictures/{picture_id}: a player's picture, for an `<img>`. Its path is in every view of the player. */
import { showPublicPicture } from "../../lib/app/accounts/showPicture.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PictureBytes } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "GET /pictures/{picture_id}",
  access: "public",
  response: { schema: PictureBytes },
  run: ({ path, services }) => showPublicPicture(services.store, path.picture_id ?? ""),
});
