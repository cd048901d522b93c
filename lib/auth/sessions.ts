/** Sessions: their lifetime, and their number per player. */
import { DAY, HOUR } from "../domain/time.ts";
import type { Put } from "../dynamodb/database.ts";
import type { Session, Sessions } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";

export const MAX_SESSIONS = 20;

interface SessionLifetime {
  maxIdleMs: number;
  maxAgeMs: number;
  /** How often the last use is written. */
  recordEveryMs: number;
}

const PLAYER: SessionLifetime = { maxIdleMs: 7 * DAY, maxAgeMs: 30 * DAY, recordEveryMs: DAY };
const ADMINISTRATOR: SessionLifetime = { maxIdleMs: 12 * HOUR, maxAgeMs: 7 * DAY, recordEveryMs: HOUR };

/** How long the sessions of a player last. An administrator's are shorter. */
export const sessionLifetime = (player: { is_admin: boolean } | null): SessionLifetime =>
  player?.is_admin === true ? ADMINISTRATOR : PLAYER;

/** When a session ends by the lifetime of the player's current role, in milliseconds since 1970. */
export interface SessionEnds {
  /** When it ends without further use. */
  idle: number;
  /** When it ends regardless of use. */
  absolute: number;
}

export const sessionEnds = (session: Session, lifetime: SessionLifetime): SessionEnds => {
  const absolute = Math.min(session.expires_at, session.created_at + lifetime.maxAgeMs);
  return { idle: Math.min(absolute, session.last_used + lifetime.maxIdleMs), absolute };
};

/** Whether a session has not ended. */
export const isActiveSession = (session: Session, lifetime: SessionLifetime, now: number): boolean =>
  now < sessionEnds(session, lifetime).idle;

/** Adds a session. Ended sessions are dropped, and the oldest ones beyond the limit. */
export const addSession = (
  sessions: readonly Session[],
  added: Session,
  lifetime: SessionLifetime,
): Session[] =>
  [...sessions.filter((session) => isActiveSession(session, lifetime, added.created_at)), added]
    .sort((one, other) => one.created_at - other.created_at)
    .slice(-MAX_SESSIONS);

/**
 * The write that replaces a player's sessions. A password change removes the item; the `rev` of a new item starts at
 * `now`, so that no write based on the old item meets its condition.
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
