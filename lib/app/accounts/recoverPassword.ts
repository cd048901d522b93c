/** Issues codes with which players can set new passwords. */
import { newRecovery } from "../../auth/recovery.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { keys } from "../../store/keys.ts";
import { findPlayer, type PlayerName } from "../currentState.ts";

interface IssuedCode {
  alias: string;
  recovery_code: string;
  expires_at: string;
}

/** Issues a code, which invalidates an earlier one. @throws DomainError `player_not_found` */
export const issueRecoveryCode = async (
  { audit, now, services: { store } }: PlayerCall,
  named: PlayerName,
): Promise<Decision<IssuedCode>> => {
  const { alias, player_id, rev } = await findPlayer(store, named);
  audit.target = player_id;
  const { code, expiresAt, write } = newRecovery(player_id, await store.recovery(player_id), now);
  return {
    // Without this check, a concurrent deletion of the account would leave the code behind.
    changes: { writes: [write, { check: keys.player(player_id), expect: { rev } }] },
    result: { alias, recovery_code: code, expires_at: rfc3339(expiresAt) },
  };
};
