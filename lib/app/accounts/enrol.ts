/** Lets a spectator join the current season. */
import { enrol } from "../../domain/accounts/registration.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { isOnlyAdministrator } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import type { PlayerInfo } from "../shown.ts";

/** Makes a spectator human. @throws DomainError `wrong_state`, `registration_closed` */
export const enrolPlayer = async ({
  context,
  game,
  now,
  player: before,
  requestId,
  services: { store },
}: PlayerCall): Promise<Decision<PlayerInfo>> => {
  const after = enrol(before, game, context, await isOnlyAdministrator(store, before));
  // Until now, a game master could see all tag codes.
  const actor = before.player_id;
  const log = newLogEntry(context, requestId, { action: "enrol", actor, target: actor });
  return {
    changes: { players: [{ before, after }], basedOn: game, ...(before.is_admin ? { log } : {}) },
    result: await showPlayer(store, after, game, now),
  };
};
