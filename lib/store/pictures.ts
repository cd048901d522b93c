/** Writes of pictures. A picture exists exactly while its player has `has_pfp`. */
import type { Player } from "../domain/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Changes } from "./changes.ts";
import type { StoredPicture } from "./items.ts";
import { keys } from "./keys.ts";

/** The changes that set a picture, on condition that the player is unchanged: a deleted player must not get a picture. */
export const pictureChanges = (player: Player, read: StoredPicture | null, bytes: Uint8Array): Changes => {
  const { player_id: id, rev, has_pfp } = player;
  const put: Write = {
    put: { ...keys.picture(id), rev: (read?.rev ?? 0) + 1, bytes },
    expect: read === null ? "absent" : { rev: read.rev },
  };
  return has_pfp
    ? { writes: [{ check: keys.player(id), expect: { rev } }, put] }
    : { players: [{ before: player, after: { ...player, has_pfp: true } }], writes: [put] };
};
