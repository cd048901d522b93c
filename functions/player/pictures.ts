/** GET /pictures/{picture_id}: a player's picture, by the `picture_url` of the player's views. */
import { findPublicPicture } from "../../lib/app/accounts/findPicture.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PictureBytes, pictureResponse } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "GET /pictures/{picture_id}",
  access: "public",
  response: { schema: PictureBytes },
  run: async ({ path, services, conditions }) => {
    const picture = await findPublicPicture(services.store, path.picture_id ?? "");
    return pictureResponse(picture, conditions, "public");
  },
});

export const docs: EndpointDocs = {
  summary: "Read a picture by its path",
  description:
    "The picture as WebP. Every view of a player has the path as `picture_url`. Paths are never reused, so responses may be cached for a year. It needs no token.",
  errors: ["no_picture"],
  success: { 200: "The picture, with its `ETag`." },
  fields: { picture_id: "The last part of a `picture_url`." },
  example: { path: ({ picture }) => ({ picture_id: picture }) },
};
