/** Changes of a player's own profile. */
import { withOwnAlias } from "../../domain/renaming.ts";
import type { Call } from "../../http/definition.ts";
import type { PlayerReturnInfo } from "../../http/views.ts";
import { emailWrites } from "../../store/emails.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";
import { newLogEntry } from "../logEntry.ts";
import { showPlayer } from "../lookups.ts";
import { requireFreeAlias } from "./newAccount.ts";
import { renamingWrites } from "./rename.ts";
import { requireUnbanned } from "./requireUnbanned.ts";

/** The fields to change; `null` clears a field. */
interface ProfileEdit {
  alias?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  wants_original?: boolean | undefined;
  push_kinds?: string[] | null | undefined;
}

/**
 * Changes a player's profile. A change of the alias is recorded in the audit log.
 * @throws DomainError `banned`, `alias_taken`, `email_taken`, `too_many_attempts`
 */
export const editOwnProfile = (
  call: Call<"player", ProfileEdit, unknown, PlayerReturnInfo>,
): Promise<CommandResponse> => {
  const { context, now, requestId, services } = call;
  const { store } = services;
  const { alias, ...edit } = call.body;
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const { player: before, game } = await reload();
    const { player_id: id } = before;
    const isRenamed = alias !== undefined && alias !== before.alias;
    const hasNewAddress = edit.email != null && edit.email !== before.email;
    const wanted = { alias: alias ?? before.alias, email: edit.email };
    if (isRenamed || hasNewAddress) await requireUnbanned(store, wanted, now);
    if (isRenamed) await requireFreeAlias(store, alias, before);
    const renamed = isRenamed ? withOwnAlias(before, alias, now) : before;
    const after = { ...renamed, ...Object.fromEntries(given) };
    const details = { alias_changed: true };
    const entry = { action: "edit_player", actor: id, target: id, details };
    return {
      changes: {
        players: [{ before, after }],
        basedOn: game,
        writes: [
          ...renamingWrites(before, renamed, requestId),
          ...(await emailWrites(store, { before, after }, game.settings.unique_email)),
        ],
        ...(isRenamed ? { log: newLogEntry(context, requestId, entry) } : {}),
      },
      response: await showPlayer(store, after, game, now),
    };
  });
};
