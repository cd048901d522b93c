/** Registers players. The response to a repeated request is the account, if the request has the account's password. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import { openFirstSession, openSession } from "../../auth/login.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../auth/loginAttempts.ts";
import { hashPassword } from "../../auth/password.ts";
import type { Game } from "../../domain/clock.ts";
import { DomainError, type ErrorCode } from "../../domain/domainError.ts";
import { HELD, type Newcomer } from "../../domain/player.ts";
import { requireRegistration } from "../../domain/registration.ts";
import { asHuman } from "../../domain/transitions.ts";
import type { Call, CommandResult } from "../../http/definition.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, keyReused, storedUnder, storeResponse } from "../../store/idempotency.ts";
import type { LogEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { newLogEntry } from "../logEntry.ts";
import { showPlayer } from "../lookups.ts";
import { useJoinCode } from "./joinCode.ts";
import { type NewPlayerReturn, sessionReturn } from "./loginReturn.ts";
import { newAccount } from "./newAccount.ts";
import { returnOf } from "./returning.ts";

type NewPlayer = Newcomer & {
  password: string;
  join_code?: string | undefined;
  login?: boolean | undefined;
};

type RegistrationCall = Call<"public", NewPlayer, unknown, NewPlayerReturn>;

/** An account that an earlier request with the same key has created. */
interface EarlierRegistration {
  playerId: string;
  /** Whether the two requests have the same body. */
  isSameRequest: boolean;
}

/**
 * The earlier registration with this key, if its player still has the alias.
 *
 * Earlier versions of the service stored the response itself. It is not replayed: only the player is read from it.
 */
const findEarlierRegistration = async (
  store: Store,
  { alias }: NewPlayer,
  { who, key, fingerprint }: NonNullable<RegistrationCall["idempotency"]>,
  now: number,
): Promise<EarlierRegistration | null> => {
  const playerId = await mapBusyToUnavailable(store.playerIdByAlias(alias));
  if (playerId === null) return null;
  const keysToRead = [keys.registration(playerId, key), keys.legacyResponse(who, key)];
  const stored = await storedUnder(store.db, keysToRead, now);
  if (stored === undefined) return null;
  const isSamePlayer = stored.body === null || stored.body.includes(`"${playerId}"`);
  return isSamePlayer ? { playerId, isSameRequest: stored.fingerprint === fingerprint } : null;
};

const loginEntry = ({ context, requestId }: RegistrationCall, playerId: string): LogEntry =>
  newLogEntry(context, requestId, { action: "login", actor: playerId, target: playerId });

/**
 * Responds to a repeated registration with the account as it is now. Like a login, this checks the account's current
 * password: a wrong one counts as a failed login, with the same delays. If the request logs in, it opens another session.
 * @param refusal the error for a wrong password: that of a registration without an earlier one
 * @throws DomainError `refusal`, `key_reused`, `too_many_attempts`
 */
const repeatRegistration = async (
  call: RegistrationCall,
  game: Game,
  { playerId, isSameRequest }: EarlierRegistration,
  refusal: DomainError,
): Promise<CommandResponse> => {
  const { body, clientAddress, context, now, requestId, services } = call;
  const { store, cost } = services;
  const check = passwordChecker(body.password, cost);
  const login = { action: "login", target: playerId, outcome: "bad_credentials" };
  const respond = async (account: LoginContext): Promise<CommandResult<NewPlayerReturn>> => {
    // The player was renamed or deleted since the alias was looked up.
    if (account.id !== playerId) throw refusal;
    const { player, credential } = await check(account);
    // This check makes concurrent attempts conflict, so that each of them is counted.
    const changes = { writes: [{ check: keys.credential(playerId), expect: { rev: credential.rev } }] };
    if (!isSameRequest) return { changes, error: keyReused() };
    const current = await store.gameFor(await store.game(), player);
    const response = await showPlayer(store, player, current, now);
    if (body.login !== true) return { changes, response };
    const success = { context: { ...account, player, credential }, clientAddress, givenDevice: null, now };
    const { writes, opened } = await openSession(success, body.password, services);
    return {
      changes: { writes, log: loginEntry(call, playerId), seen: current },
      response: { ...response, ...sessionReturn(opened) },
    };
  };
  try {
    return await attemptLogin(services, { alias: body.alias, clientAddress, now }, (checkAttempt) =>
      call.decide(async (isRetry) => {
        const result = await checkAttempt(isRetry, () => {}, respond);
        const hasFailed = "error" in result && result.error.code === "bad_credentials";
        if (!hasFailed) return result;
        const log = newLogEntry(context, requestId, login);
        return { ...result, changes: { ...result.changes, seen: game, log } };
      }),
    );
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "bad_credentials")) throw error;
    throw isSameRequest ? refusal : keyReused();
  }
};

/** Errors of a registration that may be those of one that has succeeded before. */
const REFUSALS: readonly ErrorCode[] = [
  "banned",
  "alias_taken",
  "email_taken",
  "registration_closed",
  "invalid_request",
];

/**
 * Registers a player as a human, or as a spectator whom a game master has to admit, and opens a session if the request
 * logs in.
 * @throws DomainError `invalid_request`, `alias_taken`, `email_taken`, `registration_closed`; for a repeated request also `key_reused`,
 *   `too_many_attempts`
 */
export const registerPlayer = async (call: RegistrationCall): Promise<CommandResponse> => {
  const { body, clientAddress, context, idempotency, now, services } = call;
  const { store, cost, throttles } = services;
  requireOtherThanAlias(body.password, body.alias);
  let game = await store.game();
  let hash: string | undefined;
  try {
    return await call.decide(async (isRetry) => {
      if (isRetry) game = await store.game();
      const registration = requireRegistration(game, now);
      const codeWrites = await useJoinCode(services, game, body.join_code, now);
      hash ??= await hashPassword(body.password, cost);
      const { player, changes, furtherWrites } = await newAccount(store, game, { ...body, hash }, context, {
        as: async (newcomer) =>
          (await returnOf(store, newcomer, game, context)) ?? {
            player:
              registration === "approval" ? { ...newcomer, held: HELD.pending } : asHuman(newcomer, context),
          },
      });
      // The response is stored without a body, because the response to a repeated request is the account at that time.
      const stored = idempotency && [
        storeResponse(
          keys.registration(player.player_id, idempotency.key),
          idempotency.fingerprint,
          { status: 201, body: null },
          now,
        ),
      ];
      const response = await showPlayer(store, player, game, now);
      const further = [...codeWrites, ...furtherWrites, ...(stored ?? [])];
      if (body.login !== true) {
        const writes = [...changes.writes, ...codeWrites, ...(stored ?? [])];
        return { changes: { ...changes, writes }, response };
      }
      const { writes, opened } = openFirstSession(player, hash, { clientAddress, now }, throttles);
      return {
        changes: {
          ...changes,
          writes: [...writes, ...further],
          log: loginEntry(call, player.player_id),
        },
        response: { ...response, ...sessionReturn(opened) },
      };
    });
  } catch (error) {
    const isRefused = error instanceof DomainError && REFUSALS.includes(error.code);
    if (idempotency === undefined || !isRefused) throw error;
    const earlier = await findEarlierRegistration(store, body, idempotency, now);
    if (earlier === null) throw error;
    return repeatRegistration(call, game, earlier, error);
  }
};
