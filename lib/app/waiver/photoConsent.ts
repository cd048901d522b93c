/** Whether photos of a player may be shown. */
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Signature } from "../../domain/waiver/signature.ts";
import type { Write } from "../../dynamodb/database.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { readSignature, signatureWrites } from "../../store/waiver/signatures.ts";

/**
 * A player whose consent to photos is stored with their signature. Withdrawing or refusing it removes their picture; one that
 * they set afterwards is their own act.
 * @param stored the signature before and after
 */
export const withPhotoAnswer = (
  player: Player,
  stored: { before: Pick<Signature, "photo_consent"> | null; after: Pick<Signature, "photo_consent"> },
): { player: Player; writes: Write[] } => {
  const isRefused = stored.after.photo_consent === false && stored.before?.photo_consent !== false;
  if (!isRefused || !player.has_pfp) return { player, writes: [] };
  return {
    player: { ...player, has_pfp: false, picture_hash: null },
    writes: [{ remove: keys.picture(player.player_id) }],
  };
};

/**
 * The changes that give or withdraw the consent.
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
  const answered = withPhotoAnswer(player, { before, after: changed });
  return {
    after: answered.player,
    writes: [...signatureWrites(player.player_id, before, changed), ...answered.writes],
  };
};
