/** GET /pfp/{url_id}: reads the player's own picture. */
import { findPicture } from "../../lib/app/accounts/findPicture.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PictureBytes, pictureResponse } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "GET /pfp/{url_id}",
  access: "player",
  response: { schema: PictureBytes },
  run: ({ player, services, conditions, timeLeft }) =>
    pictureResponse(findPicture(services.store, player, timeLeft), conditions, "own"),
});

export const docs: EndpointDocs = {
  summary: "Read your picture",
  description: "The picture as WebP, at most 512 by 512 pixels.",
  errors: ["no_picture"],
  success: { 200: "The picture, with its `ETag`." },
  example: {},
};
