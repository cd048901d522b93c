/** POST /set_pfp/{url_id}: a player sets their picture, which is made small and bare of all else first. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";
import { hashOf } from "../../lib/http/entityTags.ts";
import { etagOf, PICTURE_TYPE, readPicture, SetPicture } from "../../lib/http/pictures.ts";
import { freshly } from "../../lib/http/scene.ts";
import { makePicture } from "../../lib/picture/picture.ts";
import { pictureChanges } from "../../lib/store/pictures.ts";

export const handler = endpoint({
  route: "POST /set_pfp/{url_id}",
  access: "player",
  readBody: readPicture,
  body: SetPicture,
  answer: z.object({
    content_type: z.string(),
    width: z.int(),
    height: z.int(),
    bytes: z.int(),
    etag: z.string(),
  }),
  once: true,
  fingerprinted: async ({ image }) => ({ image: hashOf(image) }),
  run: async (call) => {
    const { store } = call.services;
    const { bytes, width, height } = await makePicture(call.body.image);
    const again = freshly(call);
    return call.decide(async () => {
      const [{ player, game }, before] = await Promise.all([again(), store.picture(call.player.player_id)]);
      return {
        changes: { ...pictureChanges(player, before, bytes), seen: game.rev },
        answer: { content_type: PICTURE_TYPE, width, height, bytes: bytes.length, etag: etagOf(bytes) },
      };
    });
  },
});
