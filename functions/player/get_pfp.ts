/** POST /get_pfp/{url_id}: reads a player's picture by alias. */
import * as z from "zod/mini";
import { findPicture } from "../../lib/app/accounts/findPicture.ts";
import { findPlayer } from "../../lib/app/currentState.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef } from "../../lib/http/fields.ts";
import { PictureBytes, pictureResponse } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "POST /get_pfp/{url_id}",
  access: "player",
  request: { body: z.strictObject({ alias: AliasRef }) },
  response: { schema: PictureBytes },
  run: async ({ body, services: { store }, conditions, timeLeft }) =>
    pictureResponse(findPicture(store, await findPlayer(store, body), timeLeft), conditions, "own"),
});

export const docs: EndpointDocs = {
  summary: "Read another player's picture",
  description: "The picture as WebP, at most 512 by 512 pixels.",
  errors: ["no_picture"],
  success: { 200: "The picture, with its `ETag`." },
  example: { as: "ben", body: { alias: "Ada" } },
};
