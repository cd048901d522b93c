/** POST /set_pfp/{url_id}: a player sets their picture, which is made small and bare of all else first. */
import * as z from "zod/mini";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { limitPictures } from "../../lib/auth/rateLimit.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { sha256 } from "../../lib/http/etag.ts";
import { etagOf, PICTURE_TYPE, readPicture, SetPicture } from "../../lib/http/pictures.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { MAX_CALL_MS } from "../../lib/runtime/awsClient.ts";
import { pictureChanges } from "../../lib/store/pictures.ts";

/** Time that is kept for reading and writing after the picture is decoded, in milliseconds. */
const RESERVE = 2 * MAX_CALL_MS;

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
  run: async (call) => {
    const { store } = call.services;
    const playerId = call.player.player_id;
    const file = examinePicture(call.body.image);
    await limitPictures(call.services, playerId, call.now);
    // Imported when it is needed: a cold function that refuses a request starts no process.
    const { decodeInChild } = await import("../../lib/images/decodeInChild.ts");
    const timeLeft = () => call.timeLeft() - RESERVE;
    const { bytes, width, height } = await decodeInChild(file, { player: playerId, timeLeft });
    const again = reloadOnRetry(call);
    return call.decide(async () => {
      const [{ player, game }, before] = await Promise.all([again(), store.picture(playerId)]);
      return {
        changes: { ...pictureChanges(player, before, bytes), seen: game.rev },
        response: { content_type: PICTURE_TYPE, width, height, bytes: bytes.length, etag: etagOf(bytes) },
      };
    });
  },
});
