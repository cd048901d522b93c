/** Opens sessions with a password or a recovery code, and ends them by logout or password change. */
import type { Throttles } from "../domain/backoff.ts";
import { DomainError } from "../domain/domainError.ts";
import type { Player } from "../domain/players/player.ts";
import type { Write } from "../dynamodb/database.ts";
import type { Credential, KnownAddress, Session } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { isBanned, type LoginOrigin, successWrite } from "./credentials.ts";
import {
  addressDigest,
  isKnownAddress,
  knownDeviceToken,
  makeDeviceToken,
  rememberAddress,
} from "./devices.ts";
import type { LoginContext } from "./loginAttempts.ts";
import { type HashCost, hashPassword, needsRehash } from "./password.ts";
import type { ClientAddress } from "./rateLimit.ts";
import { addSession, isActiveSession, sessionLifetime, sessionsWrite } from "./sessions.ts";
import { makeToken, type Token } from "./token.ts";

/** The tokens of a new session and of its device, which are shown once. */
export interface NewSession {
  token: string;
  deviceToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A player with a new session. */
export interface LoggedIn {
  player: Player;
  opened: NewSession;
}

export interface LoginSuccess {
  context: LoginContext & { player: Player; credential: Credential };
  clientAddress: ClientAddress;
  /** The device token that was sent. An unknown one is replaced by a new one. */
  givenDevice: string | null | undefined;
  now: number;
}

/** Requires that an account is not banned. @throws DomainError `banned` */
const requireNotBanned = ({ ban }: Credential, now: number): void => {
  if (ban === undefined || !isBanned({ ban }, now)) return;
  const until = ban.until === null ? "" : ` until ${ban.until}`;
  const reason = ban.reason === null ? "" : ` The reason: ${ban.reason}`;
  throw new DomainError("banned", `A game master has banned you from the game${until}.${reason}`);
};

const newSession = ({
  context,
  clientAddress,
  givenDevice,
  now,
}: LoginSuccess): { opened: NewSession; session: Session; at: LoginOrigin } => {
  const { player, credential } = context;
  requireNotBanned(credential, now);
  const { token, hash } = makeToken(player.player_id);
  const expiresAt = now + sessionLifetime(player).maxAgeMs;
  const deviceToken = knownDeviceToken(credential, givenDevice, now) ?? makeDeviceToken();
  return {
    opened: { token, deviceToken, expiresAt },
    session: {
      hash,
      created_at: now,
      last_used: now,
      expires_at: expiresAt,
      from: addressDigest(clientAddress),
    },
    at: { clientAddress, deviceToken, now },
  };
};

/** Opens a session after a correct password. */
export const openSession = async (
  success: LoginSuccess,
  password: string,
  { cost, throttles }: { cost: HashCost; throttles: Throttles },
): Promise<{ writes: Write[]; opened: NewSession }> => {
  const { context, now } = success;
  const { player, credential, sessions } = context;
  const { player_id: id } = player;
  const { opened, session, at } = newSession(success);
  const hash = needsRehash(credential.hash, cost) ? await hashPassword(password, cost) : credential.hash;
  const all = addSession(sessions?.sessions ?? [], session, sessionLifetime(player));
  const writes = [sessionsWrite(id, sessions, all, now), successWrite(id, credential, at, throttles, hash)];
  return { writes, opened };
};

/** Opens the first session of an account that is being registered. The writes include that of its credential. */
export const openFirstSession = (
  player: Player,
  hash: string,
  from: Pick<LoginSuccess, "clientAddress" | "now">,
  throttles: Throttles,
): { writes: Write[]; opened: NewSession } => {
  const { player_id: id } = player;
  const context = { id, player, credential: { rev: 0, hash }, sessions: null };
  const { opened, session, at } = newSession({ context, givenDevice: null, ...from });
  const credential: Write = { ...successWrite(id, context.credential, at, throttles), expect: "absent" };
  return { writes: [credential, sessionsWrite(id, null, [session], from.now)], opened };
};

/** The known addresses, including those that earlier versions stored only in the sessions, which are about to end. */
const addressesOf = ({ credential, sessions }: LoginSuccess["context"], now: number): KnownAddress[] => {
  let { addresses = [] } = credential;
  for (const { from, last_used } of sessions?.sessions ?? []) {
    const isNew = from !== undefined && !isKnownAddress(credential, from, now);
    if (isNew) addresses = rememberAddress(addresses, from, last_used);
  }
  return addresses;
};

/**
 * The writes that end all push subscriptions of a player, whose sessions end: a device without one gets no notifications. It
 * subscribes again with its next login. Imported on demand: most logins end no session.
 */
export const endedPushWrites = async ({ db }: Pick<Store, "db">, playerId: string): Promise<Write[]> => {
  const { endedSubscriptionWrites } = await import("../store/notifications/subscriptions.ts");
  return endedSubscriptionWrites(db, playerId);
};

/**
 * Sets a password and ends every session, including one that a concurrent login opens. Devices and addresses stay
 * known.
 * @param hash of the new password
 * @param redemption the write that uses up a recovery code. With it, a session is opened; without it, every recovery
 *   code is removed
 */
export const passwordWrites = (
  success: LoginSuccess,
  hash: string,
  throttles: Throttles,
  redemption?: Write,
): { writes: Write[]; opened: NewSession | null } => {
  const { context, clientAddress, givenDevice, now } = success;
  const { id, sessions } = context;
  const credential = { ...context.credential, addresses: addressesOf(context, now) };
  if (redemption === undefined) {
    const at = { clientAddress, deviceToken: knownDeviceToken(credential, givenDevice, now), now };
    const ended: Write[] = [{ remove: keys.sessions(id) }, { remove: keys.recovery(id) }];
    return { writes: [successWrite(id, credential, at, throttles, hash), ...ended], opened: null };
  }
  const { opened, session, at } = newSession(success);
  return {
    writes: [
      successWrite(id, credential, at, throttles, hash),
      sessionsWrite(id, sessions, [session], now),
      redemption,
    ],
    opened,
  };
};

/**
 * Ends the session of a token, or all of its player's with their push subscriptions. Follows an account that has moved to
 * another player id.
 * @param options.isRetry whether the previous attempt's write failed because the sessions had changed
 * @throws DomainError `token_rejected`
 */
export const closeSession = async (
  store: Store,
  token: Token | null,
  { everywhere, isRetry }: { everywhere: boolean; isRetry: boolean },
  now: number,
): Promise<{ changes: { writes: Write[] }; result: null }> => {
  const find = async (id: string, hash: string, consistent: boolean) => {
    const ofToken = await store.sessions(id, { consistent });
    const playerId = ofToken?.moved_to ?? id;
    const [sessions, player] = await Promise.all([
      playerId === id ? ofToken : store.sessions(playerId, { consistent }),
      store.player(playerId, { consistent }),
    ]);
    const session = sessions?.sessions.find((one) => one.hash === hash);
    const isActive =
      sessions !== null && session !== undefined && isActiveSession(session, sessionLifetime(player), now);
    return isActive ? { playerId, sessions, session } : null;
  };
  const { playerId: id = "", hash = "" } = token ?? {};
  // A stale read is harmless for a session that it contains. One that is missing may have been opened just now.
  const found =
    token === null ? null : ((isRetry ? null : await find(id, hash, false)) ?? (await find(id, hash, true)));
  if (found === null) {
    throw new DomainError("token_rejected", "This session does not exist or has ended.");
  }
  const { playerId, sessions, session } = found;
  const left = everywhere ? [] : sessions.sessions.filter((other) => other !== session);
  const ended = everywhere ? await endedPushWrites(store, playerId) : [];
  return { changes: { writes: [sessionsWrite(playerId, sessions, left, now), ...ended] }, result: null };
};
