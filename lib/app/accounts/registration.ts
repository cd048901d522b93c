/** Registration: a new account; and the same request again, which is answered only with the account's password. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../auth/loginAttempts.ts";
import { hashPassword } from "../../auth/password.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Newcomer } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Call, CommandResult } from "../../http/definition.ts";
import { type PlayerReturnInfo, playerInfo } from "../../http/views.ts";
import type { Changes } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, keyReused, storedUnder, storeResponse } from "../../store/idempotency.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { showPlayer } from "../lookups.ts";
import { newAccount } from "./newAccount.ts";

type NewPlayer = Newcomer & { password: string };

type RegistrationCall = Call<"public", NewPlayer, unknown, PlayerReturnInfo>;

/** The same request, as an earlier one with its key made the account. */
interface Earlier {
  playerId: string;
  isSame: boolean;
}

/**
 * The registration that was made with this key by whoever has the alias now.
 *
 * Earlier versions have stored the response itself, which is not given again: only whose it was counts.
 */
const earlierRegistration = async (
  store: Store,
  { alias }: NewPlayer,
  { who, key, fingerprint }: NonNullable<RegistrationCall["idempotency"]>,
  now: number,
): Promise<Earlier | null> => {
  const playerId = await mapBusyToUnavailable(store.playerIdByAlias(alias));
  if (playerId === null) return null;
  const before = keys.legacyResponse(who, key);
  const stored = await storedUnder(store.db, [keys.registration(playerId, key), before], now);
  if (stored === undefined) return null;
  const isTheirs = stored.body === null || stored.body.includes(`"${playerId}"`);
  return isTheirs ? { playerId, isSame: stored.fingerprint === fingerprint } : null;
};

/** The log entry of a wrong password: it counts as a failed login. */
const failedLogin = (
  { context: moment, now, requestId }: RegistrationCall,
  target: string,
): NonNullable<Changes["log"]> => ({
  log_id: moment.newId(),
  at: rfc3339(now),
  action: "login",
  actor: null,
  target,
  request_id: requestId,
  outcome: "bad_credentials",
  details: {},
});

/**
 * Answers a registration that was made before, with the account as it is now. That takes the account's current password,
 * as a login does: a wrong one is a failed login, and waits are the same.
 * @param taken the refusal for whoever does not know the password
 * @throws DomainError `alias_taken`, `key_reused`, `too_many_attempts`
 */
const repeatRegistration = async (
  call: RegistrationCall,
  { playerId, isSame }: Earlier,
  taken: DomainError,
): Promise<CommandResponse> => {
  const { body, now, services, clientAddress: source } = call;
  const { store, cost } = services;
  const check = passwordChecker(body.password, cost);
  const judge = async (scene: LoginContext): Promise<CommandResult<PlayerReturnInfo>> => {
    // The player was renamed or deleted since the alias was looked up.
    if (scene.id !== playerId) throw taken;
    const { player, credential } = await check(scene);
    // Also where the request differs: attempts that are made at once are let through one after the other.
    const changes = { writes: [{ check: keys.credential(playerId), expect: { rev: credential.rev } }] };
    if (!isSame) return { changes, error: keyReused() };
    const game = await store.gameFor(await store.game(), player);
    return { changes, response: await showPlayer(store, player, game, now) };
  };
  try {
    return await attemptLogin(services, { alias: body.alias, clientAddress: source, now }, (tryOnce) =>
      call.decide(async (again) => {
        const judged = await tryOnce(again, () => {}, judge);
        const hasFailed = "error" in judged && judged.error.code === "bad_credentials";
        return hasFailed
          ? { ...judged, changes: { ...judged.changes, log: failedLogin(call, playerId) } }
          : judged;
      }),
    );
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "bad_credentials")) throw error;
    throw isSame ? taken : keyReused();
  }
};

/**
 * Registers a player, who is human from then on.
 * @throws DomainError `invalid_request`, `alias_taken`; for a request that was carried out before `key_reused`,
 *   `too_many_attempts`
 */
export const registerPlayer = async (call: RegistrationCall): Promise<CommandResponse> => {
  const { body, context: moment, now, idempotency: once, services } = call;
  const { store, cost } = services;
  requireOtherThanAlias(body.password, body.alias);
  const game = await store.game();
  let hash: string | undefined;
  try {
    return await call.decide(async () => {
      hash ??= await hashPassword(body.password, cost);
      const { player, changes } = await newAccount(store, { ...body, hash }, moment);
      // It has no body: a repeated request is answered from the account.
      const kept = once && [
        storeResponse(
          keys.registration(player.player_id, once.key),
          once.fingerprint,
          { status: 201, body: null },
          now,
        ),
      ];
      return {
        changes: { ...changes, writes: [...changes.writes, ...(kept ?? [])], seen: game.rev },
        response: playerInfo(player, game, now, null),
      };
    });
  } catch (error) {
    if (once === undefined || !(error instanceof DomainError && error.code === "alias_taken")) throw error;
    const earlier = await earlierRegistration(store, body, once, now);
    if (earlier === null) throw error;
    return repeatRegistration(call, earlier, error);
  }
};
