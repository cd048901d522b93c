/** Edits a player's account on behalf of a game master. */
import { setRoles } from "../../auth/roles.ts";
import { withAddress, withAlias } from "../../domain/accounts/renaming.ts";
import { fieldsChangedSince, requireNoneChanged } from "../../domain/changedMeanwhile.ts";
import { withoutOffice } from "../../domain/players/visibility.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { emailHash, emailWrites, isSameEmail } from "../../store/accounts/emails.ts";
import { renamingDetails, renamingWrites } from "../../store/accounts/renamings.ts";
import type { Decision } from "../../store/decide.ts";
import { keys } from "../../store/keys.ts";
import { confirmedWrites } from "../../store/mail/mailAccounts.ts";
import { findTarget, type PlayerName } from "../currentState.ts";
import { showToStaff } from "../lookups.ts";
import type { StaffInfo } from "../shown.ts";
import { appointed } from "./appointment.ts";
import { aliasConflict } from "./newAccount.ts";
import { requireFreeAddress } from "./review.ts";

type AdminEdit = PlayerName & {
  alias_to?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  is_admin?: boolean | undefined;
  is_moderator?: boolean | undefined;
  clear_picture?: boolean | undefined;
  note?: string | null | undefined;
  was?: Record<string, unknown> | undefined;
};

/**
 * Changes a player's alias, names, address, roles, picture or note. Game masters may edit themselves.
 * @throws DomainError `player_not_found`, `alias_taken`, `email_taken`, `last_administrator`, `not_administrator`,
 *   `changed_meanwhile`
 */
export const editAsAdministrator = async (
  call: PlayerCall,
  { alias, player_id, was, ...changes }: AdminEdit,
): Promise<Decision<StaffInfo>> => {
  const { audit, context, now, player: caller, requestId, services } = call;
  const { store } = services;
  const { alias_to, email, is_admin, is_moderator, clear_picture, note, ...names } = changes;
  const given = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
  const { target: before, game } = await findTarget(call, { alias, player_id });
  if (was !== undefined)
    requireNoneChanged(fieldsChangedSince(was, { ...before, alias_to: before.alias }, changes));
  const named = { ...withAlias(before, alias_to ?? before.alias), ...given };
  const renamed = email === undefined ? named : withAddress(named, email, emailHash);
  audit.details = {
    ...renamingDetails(before, renamed),
    right_changed: is_admin !== undefined && is_admin !== before.is_admin,
    ...(is_moderator === undefined ? {} : { moderator_right: is_moderator }),
    picture_cleared: clear_picture === true,
    ...(note === undefined ? {} : { note_changed: note !== before.note }),
  };
  const roles = {
    is_admin: is_admin ?? before.is_admin,
    is_moderator: is_moderator ?? before.is_moderator,
  };
  if (alias_to !== undefined && alias_to !== before.alias) {
    const conflict = await aliasConflict(store, alias_to, {
      player_id: before.player_id,
      is_admin: roles.is_admin,
    });
    if (conflict !== null) throw conflict;
  }
  if (email != null && !isSameEmail(before.email, email)) {
    await requireFreeAddress(services, game, { email, player_id: before.player_id });
  }
  const leaving = roles.is_admin ? renamed : withoutOffice(renamed, now);
  const { player, writes: roleWrites } = await setRoles(store, leaving, roles, caller.player_id);
  const noted = note === undefined ? player : { ...player, note };
  const cleared = clear_picture === true ? { ...noted, has_pfp: false, picture_hash: null } : noted;
  const { player: after, writes: announcement } = appointed(before, cleared, caller.player_id, context);
  // Where mail is sent, others may have the address too, without having confirmed it.
  const mustBeFree = services.mail === null ? [] : undefined;
  // The picture is removed together with a change of the player, which fails if a newer picture was set.
  const hasPictureToClear = clear_picture === true && before.has_pfp;
  const pictureRemoval: Write[] = hasPictureToClear ? [{ remove: keys.picture(before.player_id) }] : [];
  return {
    changes: {
      players: [{ before, after }],
      basedOn: game,
      writes: [
        ...roleWrites,
        ...announcement,
        ...pictureRemoval,
        ...renamingWrites(before, after, requestId),
        ...(await emailWrites(store, { before, after }, game.settings.unique_email, mustBeFree)),
        ...(await confirmedWrites(store.db, { before, after })),
      ],
    },
    result: await showToStaff(store, after, game, now, caller),
  };
};
