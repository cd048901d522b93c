/** Responds to a repeated registration with the account, if the password is right. */
import { openSession } from "../../auth/login.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../auth/loginAttempts.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { Decision } from "../../store/decide.ts";
import { type CommandResponse, keyReused, readResponseAt } from "../../store/idempotency.ts";
import { keys } from "../../store/keys.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import type { Store } from "../../store/store.ts";
import { showPlayer } from "../lookups.ts";
import { loginEntry, type NewPlayer, type Registered, type RegistrationCall } from "./registrationCall.ts";

/** An account that an earlier request with the same key has created. */
interface EarlierRegistration {
  playerId: string;
  /** Whether the two requests have the same body. */
  isSameRequest: boolean;
}

/**
 * Finds the earlier registration with this key, if its player still has the alias. Earlier versions of the service
 * stored the response itself; only the player is read from it.
 */
export const findEarlierRegistration = async (
  store: Store,
  { alias }: NewPlayer,
  { who, key, fingerprint }: NonNullable<RegistrationCall["idempotency"]>,
  now: number,
): Promise<EarlierRegistration | null> => {
  const playerId = await mapBusyToUnavailable(store.playerIdByAlias(alias));
  if (playerId === null) return null;
  const keysToRead = [keys.registration(playerId, key), keys.legacyResponse(who, key)];
  const stored = await readResponseAt(store.db, keysToRead, now);
  if (stored === undefined) return null;
  const isSamePlayer = stored.body === null || stored.body.includes(`"${playerId}"`);
  return isSamePlayer ? { playerId, isSameRequest: stored.fingerprint === fingerprint } : null;
};

/**
 * Responds to a repeated registration with the account as it is now. Like a login, this checks the account's current
 * password; a wrong one counts as a failed login and causes the same delays. If the request logs in, it opens another
 * session.
 * @param refusal the error for a wrong password, which is the error of the registration itself
 * @throws DomainError `refusal`, `key_reused`, `too_many_attempts`
 */
export const repeatRegistration = async (
  call: RegistrationCall,
  wanted: NewPlayer,
  game: Game,
  { playerId, isSameRequest }: EarlierRegistration,
  refusal: DomainError,
): Promise<CommandResponse> => {
  const { clientAddress, context, now, requestId, services } = call;
  const { store, cost } = services;
  const check = passwordChecker(wanted.password, cost);
  const respond = async (account: LoginContext): Promise<Decision<Registered>> => {
    // The player has been renamed or deleted since the alias was looked up.
    if (account.id !== playerId) throw refusal;
    const { player, credential } = await check(account);
    // This check makes concurrent attempts conflict, so that each of them is counted.
    const changes = { writes: [{ check: keys.credential(playerId), expect: { rev: credential.rev } }] };
    if (!isSameRequest) return { changes, error: keyReused() };
    const current = await store.gameFor(await store.game(), player);
    const shown = await showPlayer(store, player, current, now);
    if (wanted.login !== true) return { changes, result: { player: shown, opened: null } };
    const success = { context: { ...account, player, credential }, clientAddress, givenDevice: null, now };
    const { writes, opened } = await openSession(success, wanted.password, services);
    return {
      changes: { writes, log: loginEntry(call, playerId), basedOn: current },
      result: { player: shown, opened },
    };
  };
  try {
    return await attemptLogin(services, { alias: wanted.alias, clientAddress, now }, (checkAttempt) =>
      call.decide(async ({ isRetry }) => {
        const result = await checkAttempt(isRetry, () => {}, respond);
        const hasFailed = "error" in result && result.error.code === "bad_credentials";
        if (!hasFailed) return result;
        const attempted = { target: playerId, outcome: "bad_credentials" };
        const log = newLogEntry(context, requestId, { action: "login", ...attempted });
        return { ...result, changes: { ...result.changes, basedOn: game, log } };
      }),
    );
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "bad_credentials")) throw error;
    throw isSameRequest ? refusal : keyReused();
  }
};
