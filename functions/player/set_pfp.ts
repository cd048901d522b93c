/** POST /set_pfp/{url_id}: sets the player's picture, scaled down and without metadata. */
import * as z from "zod/mini";
import { type NewPicture, setPicture } from "../../lib/app/accounts/setPicture.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { etagOf, PICTURE_TYPE, readPicture, SetPicture } from "../../lib/http/pictures.ts";
import { sha256 } from "../../lib/runtime/sha256.ts";

export const handler = endpoint({
  route: "POST /set_pfp/{url_id}",
  access: "player",
  request: { parseBody: readPicture, body: SetPicture },
  response: {
    schema: z.object({
      content_type: z.string(),
      width: z.int(),
      height: z.int(),
      bytes: z.int(),
      etag: z.string(),
    }),
  },
  idempotency: { scope: "player", fingerprintedBody: async ({ image }) => ({ image: sha256(image) }) },
  run: (call) => setPicture(call, call.body.image),
  view: ({ bytes, width, height }: NewPicture) => ({
    content_type: PICTURE_TYPE,
    width,
    height,
    bytes: bytes.length,
    etag: etagOf(bytes),
  }),
});

export const docs: EndpointDocs = {
  summary: "Set your picture",
  description:
    "PNG, JPEG, WebP, GIF or AVIF of at most 4 MB and 50 megapixels, as bytes or in JSON. It is scaled to fit 512 by 512 pixels, stripped of metadata and stored as WebP.",
  errors: ["too_many_attempts"],
  fields: {
    image: "The picture, in base64 or as a data URL.",
    content_type: "Always `image/webp`.",
    width: "In pixels.",
    height: "In pixels.",
    bytes: "The size of the stored picture.",
    etag: "The `ETag` of the stored picture.",
  },
  example: {
    body: {
      image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==",
    },
  },
};
