/** Sets a player's picture. */
import { limitPictures } from "../../auth/rateLimit.ts";
import { examinePicture } from "../../images/normalize.ts";
import type { JobCall } from "../../lambda/call.ts";
import { MAX_CALL_MS } from "../../runtime/awsClient.ts";
import { pictureChanges } from "../../store/accounts/pictures.ts";
import type { CommandResponse } from "../../store/idempotency.ts";

/** Time reserved for reading and writing after decoding. */
export const RESERVED_MS = 2 * MAX_CALL_MS;

export interface NewPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/**
 * Stores a picture, scaled down and without metadata.
 * @throws DomainError `unsupported_media_type`, `too_large`, `too_many_attempts`, `unavailable`
 */
export const setPicture = async (call: JobCall<NewPicture>, image: Uint8Array): Promise<CommandResponse> => {
  const { now, player, services } = call;
  const { player_id: id } = player;
  const file = examinePicture(image);
  await limitPictures(services, id, now);
  // Imported on demand, so that rejected requests do not load it.
  const { decodeInChild } = await import("../../images/decodeInChild.ts");
  const timeLeft = () => call.timeLeft() - RESERVED_MS;
  const picture = await decodeInChild(file, { player: id, timeLeft });
  return call.decide(async ({ player: owner, game }) => {
    const before = await services.store.picture(id);
    return {
      changes: { ...pictureChanges(owner, before, picture.bytes), basedOn: game },
      result: picture,
    };
  });
};
