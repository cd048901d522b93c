/** Serves pictures: by alias to players who may look up their owner, and by path to everybody. */
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { pictureResponse, publicPictureResponse, unchangedPicture } from "../../http/pictures.ts";
import type { HttpResponse } from "../../http/responses.ts";
import type { Conditions } from "../../http/staticFile.ts";
import { addressingChanges } from "../../store/accounts/pictures.ts";
import { isPlayerRef, pictureHash } from "../../store/accounts/playerRefs.ts";
import { writesOf } from "../../store/changes.ts";
import type { StoredPicture } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

/** Stores the path of a picture that an earlier version stored without one. */
const addressPicture = async (
  store: Store,
  player: Player,
  picture: StoredPicture,
  timeLeft: () => number,
): Promise<void> => {
  try {
    await store.commit(await writesOf(addressingChanges(player, picture)), timeLeft);
  } catch (error) {
    // Something has changed, or the database is busy. The next request tries again.
    const isTransient = error instanceof DomainError && error.code === "unavailable";
    if (!(error instanceof ConditionFailed || isTransient)) throw error;
  }
};

/** The picture of a player. @throws DomainError `no_picture` */
export const showPicture = async (
  store: Store,
  player: Player,
  conditions: Conditions,
  timeLeft: () => number,
): Promise<HttpResponse> => {
  const unchanged =
    player.picture_hash === null ? null : unchangedPicture(player.picture_hash, conditions, "own");
  if (unchanged !== null) return unchanged;
  const picture = await store.picture(player.player_id);
  const response = pictureResponse(picture);
  if (picture !== null && player.has_pfp && player.picture_hash === null) {
    await addressPicture(store, player, picture, timeLeft);
  }
  return response;
};

/** Whether a player's picture has this hash, according to the player's item. */
const hasPicture = async (store: Store, playerId: string, hash: string): Promise<boolean> => {
  const isListed = (one: { picture_hash: string | null } | null | undefined): boolean =>
    one?.picture_hash === hash;
  // An eventually consistent read may miss a picture that has just been set.
  return isListed((await store.named([playerId])).get(playerId)) || isListed(await store.player(playerId));
};

/**
 * The picture with this path, for everybody. Reading a picture takes up to 88 units, so a path with a wrong hash is
 * rejected before.
 * @param id the reference of the player and the hash of the picture, joined by a dot
 * @throws DomainError `no_picture`
 */
export const showPublicPicture = async (
  store: Store,
  id: string,
  conditions: Conditions,
): Promise<HttpResponse> => {
  const [ref = "", hash, ...more] = id.split(".");
  const playerId = isPlayerRef(ref) && more.length === 0 ? await store.playerIdByRef(ref) : null;
  if (playerId === null || hash === undefined || !(await hasPicture(store, playerId, hash)))
    return publicPictureResponse(null);
  const unchanged = unchangedPicture(hash, conditions, "public");
  if (unchanged !== null) return unchanged;
  const isMeant = (one: StoredPicture | null): boolean => one !== null && pictureHash(one.bytes) === hash;
  const picture = await store.picture(playerId, { consistent: false });
  const current = isMeant(picture) ? picture : await store.picture(playerId);
  return publicPictureResponse(isMeant(current) ? current : null);
};
