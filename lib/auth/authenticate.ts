/** Admission: who is asking. Token, then player, then right, in this order and no other (contract, section 1). */
import type { Game } from "../domain/clock.ts";
import { DomainError } from "../domain/domainError.ts";
import type { Player } from "../domain/player.ts";
import { ConditionFailed, DatabaseBusy } from "../dynamodb/errors.ts";
import { log } from "../runtime/log.ts";
import { unavailable } from "../store/commit.ts";
import type { Session, Sessions } from "../store/items.ts";
import type { Store } from "../store/store.ts";
import { isActiveSession, sessionLifetime, sessionsWrite } from "./sessions.ts";
import { readToken } from "./token.ts";

export type Role = "player" | "administrator";

/** Who is asking, and the game they are in, as both were read together. */
export interface Authenticated {
  player: Player;
  game: Game;
  /** Resolves when the use of the session has been noted, where that was due. */
  useRecorded: Promise<void>;
}

/** The player behind a live token could not be looked up; its `cause` says why. */
export class PlayerLookupError extends Error {
  override readonly name = "LookupFault";
}

export const notAdministrator = (): DomainError =>
  new DomainError("not_administrator", "Only an administrator may do this.");

const rejected = (why: string): DomainError => new DomainError("token_rejected", why);

/** Notes the use of a session; when somebody else has just written the sessions, the next use will do. */
const note = async (
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
    // A use that is not noted ends a session early at worst; the request itself goes on.
    if (!(error instanceof ConditionFailed || error instanceof DatabaseBusy))
      log.error("session not noted", { error });
  }
};

/**
 * Admits whoever holds a live token of the player named in the path.
 * @param urlId the `{url_id}` of the path
 * @param decides whether anything is decided by the player and the game as read: else they may be a moment old
 * @throws DomainError `token_rejected`; `player_not_found`; `not_administrator`. LookupFault
 */
export const authenticate = async (
  store: Store,
  authorization: string | undefined,
  urlId: string,
  { role, decides }: { role: Role; decides: boolean },
  now: number,
): Promise<Authenticated> => {
  const token = readToken(authorization);
  if (token === null) throw rejected("A valid token is needed: Authorization: Bearer <token>, from /login.");
  // The key of the sessions comes from the path: another player's token does not exist there.
  if (token.playerId !== urlId) throw rejected("This token is another player's than the one in the path.");

  const isFresh = decides || role === "administrator";
  const [sessionsRead, firstRead, gameRead] = await Promise.allSettled([
    store.sessions(urlId),
    store.player(urlId, { consistent: isFresh }),
    store.game({ consistent: decides }),
  ]);

  if (sessionsRead.status === "rejected")
    throw rejected("The token could not be checked. Try again shortly.");
  const sessions = sessionsRead.value;
  const session = sessions?.sessions.find(({ hash }) => hash === token.hash);
  let playerRead = firstRead;
  if (session !== undefined && !isFresh && firstRead.status === "fulfilled" && firstRead.value === null) {
    // Joined perhaps this very moment.
    [playerRead] = await Promise.allSettled([store.player(urlId)]);
  }
  const lifetime = sessionLifetime(playerRead.status === "fulfilled" ? playerRead.value : null);
  if (sessions === null || session === undefined || !isActiveSession(session, lifetime, now)) {
    throw rejected("This session has ended. Log in again.");
  }

  if (playerRead.status === "rejected") {
    const { reason } = playerRead;
    const cause = reason instanceof DatabaseBusy ? unavailable(reason) : reason;
    throw new PlayerLookupError("the player could not be looked up", { cause });
  }
  const player = playerRead.value;
  if (player === null) throw new DomainError("player_not_found", "Player not found");
  if (role === "administrator" && !player.is_admin) {
    throw notAdministrator();
  }

  const due = now - session.last_used >= lifetime.notedEvery;
  const useRecorded = due ? note(store, urlId, sessions, session, now) : Promise.resolve();
  if (gameRead.status === "rejected") throw gameRead.reason;
  const game = await store.gameFor(gameRead.value, player);
  return { player, game, useRecorded };
};
