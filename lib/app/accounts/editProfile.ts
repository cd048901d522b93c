/** Changes of a player's own profile. */
import { type ClientAddress, limitAddresses } from "../../auth/rateLimit.ts";
import { withOwnAddress, withOwnAlias } from "../../domain/accounts/renaming.ts";
import { withReasons } from "../../domain/accounts/review.ts";
import { invalidRequest } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { JobCall, PlayerCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { emailHash, emailWrites, isSameEmail } from "../../store/accounts/emails.ts";
import { renamingWrites } from "../../store/accounts/renamings.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { confirmedWrites } from "../../store/mail/mailAccounts.ts";
import type { Store } from "../../store/store.ts";
import { showPlayer } from "../lookups.ts";
import type { PlayerInfo } from "../shown.ts";
import { aliasConflict } from "./newAccount.ts";
import { reviewNewcomer } from "./review.ts";

/** The fields to change; `null` clears a field. */
interface ProfileEdit {
  alias?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  wants_original?: boolean | undefined;
  named_in_past?: boolean | undefined;
  push_kinds?: string[] | null | undefined;
  mail_kinds?: string[] | null | undefined;
  /** Whether photos of the player may be shown. */
  photo_consent?: boolean | undefined;
  current_password?: string | undefined;
}

const consentOf = async (store: Store, player: Player, consents: boolean, now: number) => {
  // Imported on demand: most games have no waiver.
  const { photoConsentChanges } = await import("../waiver/photoConsent.ts");
  return photoConsentChanges(store, player, consents, now);
};

/** Checks the password of a player who changes a confirmed address. @throws DomainError `bad_credentials`, `too_many_attempts` */
const provePassword = async (
  { isRetry, now, player, services, timeLeft }: PlayerCall,
  password: string | undefined,
  clientAddress: ClientAddress,
): Promise<Write> => {
  if (password === undefined)
    throw invalidRequest({
      path: "current_password",
      message: "is required to change an address that is confirmed",
    });
  // Imported on demand: few addresses are changed.
  const { confirmPassword } = await import("../../auth/confirmPassword.ts");
  return confirmPassword(services, player, password, { clientAddress, now, isRetry }, timeLeft);
};

const withPending = (player: Player, pending_email: string): Player => ({ ...player, pending_email });

/** The mails after a new address: a link to it, and a message to the one that it will replace. */
const mailsOfChange = async (
  services: Services,
  player: Player,
  isReplacing: boolean,
  now: number,
): Promise<Write[]> => {
  if (services.mail === null) return [];
  const [{ confirmationWrites }, { mailWrite }] = await Promise.all([
    import("./confirmation.ts"),
    import("../../store/mail/mails.ts"),
  ]);
  const { player_id, email } = player;
  const notice = { kind: "address_change", player_id, to: email ?? "" } as const;
  return [
    ...(await confirmationWrites(services, player, now)),
    ...(isReplacing ? [mailWrite(services.newId(), notice, now)] : []),
  ];
};

/**
 * Changes a player's profile. A change of the alias is recorded in the audit log. An address that another account has, or
 * that is banned, is accepted like any other, and game masters decide what follows. A confirmed address is changed only with
 * the password, and with mail it stays until the new one is confirmed.
 * @throws DomainError `banned`, `alias_taken`, `too_many_attempts`, `ask_game_master`, `bad_credentials`; `wrong_state` for
 *   consent to photos without a signature
 */
export const editOwnProfile = (
  call: JobCall<PlayerInfo>,
  { alias, email, photo_consent, current_password: password, ...edit }: ProfileEdit,
  clientAddress: ClientAddress,
): Promise<CommandResponse> => {
  const { context, now, requestId, services } = call;
  const { store } = services;
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  let isCounted = false;
  return call.decide(async (attempt) => {
    const { player: before, game } = attempt;
    const { player_id: id } = before;
    const isRenamed = alias !== undefined && alias !== before.alias;
    const hasNewAddress = email != null && !isSameEmail(before.email, email);
    if (hasNewAddress && !isCounted) {
      await limitAddresses(services, id, now);
      isCounted = true;
    }
    const taken = { ...(isRenamed ? { alias } : {}), ...(hasNewAddress ? { email } : {}), player_id: id };
    // Read before who has left, because who has the alias may leave meanwhile; told after a ban.
    const conflict = isRenamed ? await aliasConflict(store, alias, before) : null;
    const found = isRenamed || hasNewAddress ? await reviewNewcomer(services, game, taken, now) : null;
    const review = found?.review ?? [];
    if (conflict !== null) throw conflict;
    const renamed = isRenamed ? withOwnAlias(before, alias, game, now) : before;
    const isConfirmed = before.email_confirmed === true;
    const needsProof = isConfirmed && email !== undefined && !isSameEmail(before.email, email);
    // Checked again after a conflict, because its write is conditional on the credential as it was then.
    const proofWrites = needsProof ? [await provePassword(attempt, password, clientAddress)] : [];
    // With mail, a confirmed address stays until the new one is confirmed.
    const waits = needsProof && email !== null && services.mail !== null;
    const moved =
      email === undefined
        ? renamed
        : waits
          ? withPending(renamed, email)
          : withOwnAddress(renamed, email, emailHash);
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
    const change = { before, after };
    return {
      changes: {
        players: [change],
        basedOn: game,
        writes: [
          ...(found === null ? [] : [found.unbanned]),
          ...proofWrites,
          ...renamingWrites(before, renamed, requestId),
          ...(consent?.writes ?? []),
          ...(email == null ? [] : await mailsOfChange(services, after, waits, now)),
          ...(email === undefined ? [] : await confirmedWrites(store.db, change)),
          ...(await emailWrites(
            store,
            change,
            game.settings.unique_email,
            services.mail === null ? review : undefined,
          )),
        ],
        ...(isRenamed ? { log: entry } : {}),
      },
      result: await showPlayer(store, after, game, now),
    };
  });
};
