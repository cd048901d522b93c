/** Authentication. It checks token, player and role, in exactly this order (docs/api.md, "Order of checks"). */
import { DomainError } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import type { Player } from "../domain/players/player.ts";
import { ConditionFailed, DatabaseBusy } from "../dynamodb/errors.ts";
import { log } from "../runtime/log.ts";
import type { Session, Sessions } from "../store/accounts/accountItems.ts";
import { unavailable } from "../store/commit.ts";
import type { Store } from "../store/store.ts";
import {
  isActiveSession,
  type SessionEnds,
  sessionEnds,
  sessionLifetime,
  sessionsWrite,
} from "./sessions.ts";
import type { Token } from "./token.ts";

/** What an endpoint requires of its caller. */
export type Role = "player" | "moderator" | "administrator";

/** The caller and the game, read concurrently. */
export interface Authenticated {
  player: Player;
  game: Game;
  /** When the session ends, assuming that this use is recorded if that is due. */
  sessionEnds: SessionEnds;
  /** Resolves when the session's use is recorded, or immediately if that is not due. */
  useRecorded: Promise<void>;
}

/** The value of `{url_id}` that stands for the player of the token. */
export const ME = "me";

/** The player of a valid token could not be looked up; `cause` is the reason. */
export class PlayerLookupError extends Error {
  override readonly name = "PlayerLookupError";
}

export const notAdministrator = (): DomainError =>
  new DomainError("not_administrator", "Only an administrator may do this.");

/** Rejects a player who lacks the role. Moderators' endpoints have the code of administrators' as well. */
const requireRole = (player: Player, role: Role): void => {
  if (role === "player" || player.is_admin) return;
  if (role === "administrator") throw notAdministrator();
  if (!player.is_moderator)
    throw new DomainError("not_administrator", "Only a moderator or an administrator may do this.");
};

const tokenRejected = (reason: string): DomainError => new DomainError("token_rejected", reason);

/** Records the use of a session. If the write conflicts with another, the next use is recorded instead. */
const recordUse = async (
  store: Store,
  playerId: string,
  sessions: Sessions,
  used: Session,
  now: number,
): Promise<void> => {
  const after = sessions.sessions.map((one) => (one === used ? { ...one, last_used: now } : one));
  const { put, expect } = sessionsWrite(playerId, sessions, after, now);
  try {
    await store.db.put(put, expect);
  } catch (error) {
    // A use that is not recorded may end the session early; the request itself continues.
    if (!(error instanceof ConditionFailed || error instanceof DatabaseBusy))
      log.error("session use not recorded", { error });
  }
};

/** Reads the game, for a decision or for display. @returns a function that reads it again if the player may know more */
const readGame = async (
  store: Store,
  decides: boolean,
  now: number,
): Promise<(player: Player) => Promise<Game>> => {
  if (decides) {
    const game = await store.game();
    return (player) => store.gameFor(game, player);
  }
  const game = await store.shownGame(now);
  return (player) => store.shownGameTo(game, player, now);
};

/**
 * Authenticates the caller as the player in the path. A token of an account that has moved to another player id stays
 * valid, with its own id or `me` in the path.
 * @param token the token of the request; `null` if there is none, or if it is malformed
 * @param urlId the `{url_id}` of the path: the player's id, or {@link ME}
 * @param options.decides whether the call decides something from the player and the game, so that they are read
 *   consistently; otherwise the game is for display only
 * @throws DomainError `token_rejected`, `player_not_found`, `not_administrator`; PlayerLookupError; DatabaseBusy if the
 *   game cannot be read
 */
export const authenticate = async (
  store: Store,
  token: Token | null,
  urlId: string,
  { role, decides }: { role: Role; decides: boolean },
  now: number,
): Promise<Authenticated> => {
  if (token === null)
    throw tokenRejected("A valid token is required: Authorization: Bearer <token>, from /login.");
  const { playerId: id } = token;
  if (urlId !== ME && urlId !== id)
    throw tokenRejected("This token does not belong to the player in the path.");

  const isFresh = decides || role !== "player";
  const [sessionsRead, firstRead, gameRead] = await Promise.allSettled([
    store.sessions(id),
    store.player(id, { consistent: isFresh }),
    readGame(store, decides, now),
  ]);

  if (sessionsRead.status === "rejected")
    throw tokenRejected("The token could not be checked. Try again shortly.");
  const sessions = sessionsRead.value;
  // The account has become that of a player who has come back.
  if (sessions?.moved_to !== undefined)
    return authenticate(store, { ...token, playerId: sessions.moved_to }, ME, { role, decides }, now);
  const session = sessions?.sessions.find(({ hash }) => hash === token.hash);
  let playerRead = firstRead;
  if (session !== undefined && !isFresh && firstRead.status === "fulfilled" && firstRead.value === null) {
    // The player may have registered just now.
    [playerRead] = await Promise.allSettled([store.player(id)]);
  }
  const lifetime = sessionLifetime(playerRead.status === "fulfilled" ? playerRead.value : null);
  if (sessions === null || session === undefined || !isActiveSession(session, lifetime, now)) {
    throw tokenRejected("This session has ended. Log in again.");
  }

  if (playerRead.status === "rejected") {
    const { reason } = playerRead;
    const cause = reason instanceof DatabaseBusy ? unavailable(reason) : reason;
    throw new PlayerLookupError("the player could not be looked up", { cause });
  }
  const player = playerRead.value;
  if (player === null) throw new DomainError("player_not_found", "Player not found");
  requireRole(player, role);

  const due = now - session.last_used >= lifetime.recordEveryMs;
  const useRecorded = due ? recordUse(store, id, sessions, session, now) : Promise.resolve();
  if (gameRead.status === "rejected") throw gameRead.reason;
  const game = await gameRead.value(player);
  const used = due ? { ...session, last_used: now } : session;
  return { player, game, sessionEnds: sessionEnds(used, lifetime), useRecorded };
};
