/** Sessions: how long a login lasts, and how many a player has. */
import { DAY, HOUR } from "../domain/time.ts";
import type { Put } from "../dynamodb/database.ts";
import type { Session, Sessions } from "../store/items.ts";
import { keys } from "../store/keys.ts";

export const MAX_SESSIONS = 20;

/** Milliseconds: without use, in all, and how often use is written down. */
interface Lifetime {
  idle: number;
  inAll: number;
  notedEvery: number;
}

const PLAYER: Lifetime = { idle: 7 * DAY, inAll: 30 * DAY, notedEvery: DAY };
const ADMINISTRATOR: Lifetime = { idle: 12 * HOUR, inAll: 7 * DAY, notedEvery: HOUR };

/** How long the sessions of a player last; an administrator's are short. */
export const sessionLifetime = (player: { is_admin: boolean } | null): Lifetime =>
  player?.is_admin === true ? ADMINISTRATOR : PLAYER;

/** Whether a session is still one, for a player who is, or has become, what they are. */
export const isActiveSession = (session: Session, lifetime: Lifetime, now: number): boolean =>
  now < session.expires_at &&
  now < session.created_at + lifetime.inAll &&
  now < session.last_used + lifetime.idle;

/** Sessions with a new one; those that have ended are dropped, and the oldest when there are too many. */
export const addSession = (sessions: readonly Session[], added: Session, lifetime: Lifetime): Session[] =>
  [...sessions.filter((session) => isActiveSession(session, lifetime, added.created_at)), added]
    .sort((one, other) => one.created_at - other.created_at)
    .slice(-MAX_SESSIONS);

/**
 * The write that puts a player's sessions in the place of those that were read. A password change removes the
 * item; one that is made anew counts from `now`, so that no write which read the old one passes its condition.
 */
export const sessionsWrite = (
  playerId: string,
  read: Sessions | null,
  sessions: Session[],
  now: number,
): Put => ({
  put: { ...keys.sessions(playerId), ...read, rev: (read?.rev ?? now) + 1, sessions },
  expect: read === null ? "absent" : { rev: read.rev },
});
