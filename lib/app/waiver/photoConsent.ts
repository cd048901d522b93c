/** Whether photos of a player may be shown. */
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { readSignature, signatureWrites } from "../../store/waiver/signatures.ts";

/**
 * The changes that give or withdraw the consent. A withdrawal removes the player's picture; one that they set afterwards is
 * their own act.
 * @throws DomainError `wrong_state` for a player who has not signed
 */
export const photoConsentChanges = async (
  { db }: Store,
  player: Player,
  photo_consent: boolean,
  now: number,
): Promise<{ after: Player; writes: Write[] }> => {
  const before = await readSignature(db, player.player_id);
  if (before === null)
    throw new DomainError("wrong_state", "You have not signed the waiver, which asks about photos.");
  if (before.photo_consent === photo_consent) return { after: player, writes: [] };
  const changed = { ...before, photo_consent, photo_consent_at: rfc3339(now) };
  const removed = !photo_consent && player.has_pfp;
  return {
    after: removed ? { ...player, has_pfp: false, picture_hash: null } : player,
    writes: [
      ...signatureWrites(player.player_id, before, changed),
      ...(removed ? [{ remove: keys.picture(player.player_id) }] : []),
    ],
  };
};
