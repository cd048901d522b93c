/** Finds pictures: of a player for players, and by path for everybody. */
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { addressingChanges } from "../../store/accounts/pictures.ts";
import { isPlayerRef, pictureHash } from "../../store/accounts/playerRefs.ts";
import { writesOf } from "../../store/changes.ts";
import { parsePicture, type StoredPicture } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

/** A picture that is read only if it is needed. */
interface FoundPicture {
  /** `null` for one of an earlier version. */
  hash: string | null;
  /** @throws DomainError `no_picture` */
  load: () => Promise<StoredPicture>;
}

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

/** The current picture of a player. */
export const findPicture = (store: Store, player: Player, timeLeft: () => number): FoundPicture => ({
  hash: player.picture_hash,
  load: async () => {
    const picture = await store.picture(player.player_id);
    if (picture === null) throw new DomainError("no_picture", "This player has no picture.");
    if (player.has_pfp && player.picture_hash === null)
      await addressPicture(store, player, picture, timeLeft);
    return picture;
  },
});

/** Whether a player's picture has this hash, according to the player's item. */
const hasPicture = async (store: Store, playerId: string, hash: string): Promise<boolean> => {
  const isListed = (one: { picture_hash: string | null } | null | undefined): boolean =>
    one?.picture_hash === hash;
  // An eventually consistent read may miss a picture that has just been set.
  return isListed((await store.named([playerId])).get(playerId)) || isListed(await store.player(playerId));
};

const isMissionId = (text: string): boolean => /^[\da-f-]{36}$/.test(text);

/**
 * The picture with this path. Reading a picture takes up to 88 units, so a path with a wrong hash is rejected before.
 * @param id the reference of the player, or the id of the mission, and the hash of the picture, joined by a dot
 * @throws DomainError `no_picture`
 */
export const findPublicPicture = async (store: Store, id: string): Promise<FoundPicture> => {
  const missing = () => new DomainError("no_picture", "There is no such picture.");
  const [ref = "", hash, ...more] = id.split(".");
  if (hash !== undefined && more.length === 0 && isMissionId(ref)) {
    const key = keys.missionPicture(ref, hash);
    return {
      hash,
      load: async () => {
        const item = (await store.db.get(key, { consistent: false })) ?? (await store.db.get(key));
        if (item === undefined) throw missing();
        return parsePicture(item);
      },
    };
  }
  const playerId = isPlayerRef(ref) && more.length === 0 ? await store.playerIdByRef(ref) : null;
  if (playerId === null || hash === undefined || !(await hasPicture(store, playerId, hash))) throw missing();
  const isMeant = (one: StoredPicture | null): one is StoredPicture =>
    one !== null && pictureHash(one.bytes) === hash;
  return {
    hash,
    load: async () => {
      const picture = await store.picture(playerId, { consistent: false });
      const current = isMeant(picture) ? picture : await store.picture(playerId);
      if (!isMeant(current)) throw missing();
      return current;
    },
  };
};
