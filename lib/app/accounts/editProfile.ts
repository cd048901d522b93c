/** Changes of a player's own profile. */
import { limitAddresses } from "../../auth/rateLimit.ts";
import { withOwnAddress, withOwnAlias } from "../../domain/accounts/renaming.ts";
import { withReasons } from "../../domain/accounts/review.ts";
import type { Player } from "../../domain/players/player.ts";
import type { JobCall } from "../../lambda/call.ts";
import { emailHash, emailWrites, isSameEmail } from "../../store/accounts/emails.ts";
import { renamingWrites } from "../../store/accounts/renamings.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { newLogEntry } from "../logEntry.ts";
import { showPlayer } from "../lookups.ts";
import type { PlayerInfo } from "../shown.ts";
import { requireFreeAlias } from "./newAccount.ts";
import { reviewNewcomer } from "./review.ts";

/** The fields to change; `null` clears a field. */
interface ProfileEdit {
  alias?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  wants_original?: boolean | undefined;
  push_kinds?: string[] | null | undefined;
  /** Whether photos of the player may be shown. */
  photo_consent?: boolean | undefined;
}

const consentOf = async (store: Store, player: Player, consents: boolean, now: number) => {
  // Imported on demand: most games have no waiver.
  const { photoConsentChanges } = await import("../waiver/photoConsent.ts");
  return photoConsentChanges(store, player, consents, now);
};

/**
 * Changes a player's profile. A change of the alias is recorded in the audit log. An address that another account has, or
 * that is banned, is accepted like any other, and game masters decide what follows.
 * @throws DomainError `banned`, `alias_taken`, `too_many_attempts`, `ask_game_master`; `wrong_state` for consent to photos
 *   without a signature
 */
export const editOwnProfile = (
  call: JobCall<PlayerInfo>,
  { alias, email, photo_consent, ...edit }: ProfileEdit,
): Promise<CommandResponse> => {
  const { context, now, requestId, services } = call;
  const { store } = services;
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  let isCounted = false;
  return call.decide(async ({ player: before, game }) => {
    const { player_id: id } = before;
    const isRenamed = alias !== undefined && alias !== before.alias;
    const hasNewAddress = email != null && !isSameEmail(before.email, email);
    if (hasNewAddress && !isCounted) {
      await limitAddresses(services, id, now);
      isCounted = true;
    }
    const taken = { ...(isRenamed ? { alias } : {}), ...(hasNewAddress ? { email } : {}), player_id: id };
    const review = isRenamed || hasNewAddress ? await reviewNewcomer(store, game, taken, now) : [];
    if (isRenamed) await requireFreeAlias(store, alias, before);
    const renamed = isRenamed ? withOwnAlias(before, alias, game, now) : before;
    const moved = email === undefined ? renamed : withOwnAddress(renamed, email, emailHash);
    const consent = photo_consent === undefined ? null : await consentOf(store, moved, photo_consent, now);
    const after = {
      ...(consent?.after ?? moved),
      ...Object.fromEntries(given),
      ...(review.length > 0 ? { review: withReasons(before.review, review) } : {}),
    };
    const entry = newLogEntry(context, requestId, {
      action: "edit_player",
      ...{ actor: id, target: id, details: { alias_changed: true } },
    });
    return {
      changes: {
        players: [{ before, after }],
        basedOn: game,
        writes: [
          ...renamingWrites(before, renamed, requestId),
          ...(consent?.writes ?? []),
          ...(await emailWrites(store, { before, after }, game.settings.unique_email, review)),
        ],
        ...(isRenamed ? { log: entry } : {}),
      },
      result: await showPlayer(store, after, game, now),
    };
  });
};
