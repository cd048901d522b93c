/** Writes of pictures. A picture exists exactly while its player has `has_pfp`. */
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Changes } from "../changes.ts";
import type { StoredPicture } from "../items.ts";
import { keys } from "../keys.ts";
import { pictureHash, playerRef } from "./playerRefs.ts";

/** The changes that make a picture addressable by its hash. If it had no hash, the guard of the reference is written too. */
const hashChanges = (player: Player, bytes: Uint8Array): Required<Pick<Changes, "players" | "writes">> => {
  const { player_id } = player;
  const after = { ...player, has_pfp: true, picture_hash: pictureHash(bytes) };
  const guard: Write = { put: { ...keys.playerRef(playerRef(player_id)), player_id } };
  return {
    players: [{ before: player, after }],
    // Accounts that an earlier version created have no guard.
    writes: player.picture_hash === null ? [guard] : [],
  };
};

/** The changes that set a picture, on condition that the player is unchanged: a deleted player must not get a picture. */
export const pictureChanges = (player: Player, read: StoredPicture | null, bytes: Uint8Array): Changes => {
  const { player_id: id, rev, has_pfp, picture_hash } = player;
  const put: Write = {
    put: { ...keys.picture(id), rev: (read?.rev ?? 0) + 1, bytes },
    expect: read === null ? "absent" : { rev: read.rev },
  };
  if (has_pfp && picture_hash === pictureHash(bytes)) {
    return { writes: [{ check: keys.player(id), expect: { rev } }, put] };
  }
  const { players, writes } = hashChanges(player, bytes);
  return { players, writes: [...writes, put] };
};

/** The changes that add the hash to a picture of an earlier version, on condition that the picture is unchanged. */
export const addressingChanges = (player: Player, read: StoredPicture): Changes => {
  const { players, writes } = hashChanges(player, read.bytes);
  const check: Write = { check: keys.picture(player.player_id), expect: { rev: read.rev } };
  return { players, writes: [...writes, check] };
};
