/** The model's rules of sessions and login backoff. */
import { DAY, HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import { foldedOf } from "./names.ts";
import { ModelError, requireThat } from "./request.ts";
import type { Device, Failures, Model, Player, Session } from "./state.ts";

/** How long sessions last: without use, and in total; and how often their use is recorded. */
const LIFETIMES = {
  player: { idle: 7 * DAY, total: 30 * DAY, noted: DAY },
  administrator: { idle: 12 * HOUR, total: 7 * DAY, noted: HOUR },
};

const lifetimeOf = ({ is_admin }: Player) => LIFETIMES[is_admin ? "administrator" : "player"];

/** Whether a session is active, by the player's present role. */
export const isLive = (m: Model, session: Session, player: Player): boolean => {
  const { idle, total } = lifetimeOf(player);
  const { created_at, last_used, expires_at } = session;
  return m.now < Math.min(expires_at, created_at + total, last_used + idle);
};

/** The live session of a player by this token. @throws ModelError `token_rejected` */
export const sessionBy = (m: Model, token: string | null, player: Player | undefined): Session => {
  const session = m.sessions.find((one) => one.token === token && one.player === player?.id);
  if (session === undefined || player === undefined || !isLive(m, session, player))
    throw new ModelError("token_rejected");
  return session;
};

/** The caller. @throws ModelError `token_rejected`, `not_administrator` */
export const authenticate = (m: Model, by: string | null, token: string | null, asAdministrator: boolean) => {
  const player = m.players.find(({ id }) => id === by);
  const session = sessionBy(m, token, player);
  requireThat(player !== undefined, "token_rejected");
  requireThat(player.is_admin || !asAdministrator, "not_administrator");
  if (m.now - session.last_used >= lifetimeOf(player).noted) session.last_used = m.now;
  return player;
};

const MAX_SESSIONS = 20;

/** Opens a session. If the player has too many, the oldest one ends. */
export const openSession = (m: Model, player: Player, token: string): Session => {
  const expires_at = m.now + lifetimeOf(player).total;
  const session = { player: player.id, token, created_at: m.now, last_used: m.now, expires_at };
  const own = m.sessions.filter((one) => one.player === player.id && isLive(m, one, player));
  m.tokens.push(token);
  const kept = [...own, session].slice(-MAX_SESSIONS);
  m.sessions = [...m.sessions.filter((one) => one.player !== player.id), ...kept];
  return session;
};

/** The number of failures that cause no wait (decision 16). */
const FREE_FAILURES = 4;

/** The account whose failures are counted: a player, or an alias without a player. */
export const accountOf = (alias: string, player: Player | undefined): string =>
  player?.id ?? `nobody ${foldedOf(alias)}`;

/** How long an unused device is stored, and the maximum number of them. */
const KEPT_FOR = 180 * DAY;
const MAX_DEVICES = 20;

/** A device whose token is unknown. */
export const UNKNOWN_DEVICE = "unknown";

/** A device token in a request. */
export type Token = string | null | undefined;

/** The device of an attempt, if its token is stored for the account. */
export const deviceBy = (m: Model, account: string, token: Token): Device | undefined =>
  m.devices.find((one) => one.player === account && one.token === token && m.now < one.used + KEPT_FOR);

/** The failures that count for an attempt: those of its device, or those without a known device. */
const failuresOf = (m: Model, account: string, token: Token): Failures => {
  const known = deviceBy(m, account, token);
  const failures = known === undefined ? m.failures.get(account) : known.failures;
  return failures !== undefined && failures.last > m.now - HOUR ? failures : { count: 0, last: m.now };
};

/** @throws ModelError `too_many_attempts` when the caller has to wait */
export const requireNoWait = (m: Model, account: string, token: Token): void => {
  const { count, last } = failuresOf(m, account, token);
  const wait = count <= FREE_FAILURES ? 0 : Math.min(MINUTE, SECOND * 2 ** (count - FREE_FAILURES - 1));
  if (last + wait > m.now) throw new ModelError("too_many_attempts", last + wait - m.now);
};

/** Counts a failure. */
export const fail = (m: Model, account: string, token: Token): void => {
  const known = deviceBy(m, account, token);
  const failures = { count: failuresOf(m, account, token).count + 1, last: m.now };
  if (known === undefined) m.failures.set(account, failures);
  else known.failures = failures;
};

/** Notes a correct password. @param token of the device, if it is known from now on */
export const succeed = (m: Model, player: string, token?: string): void => {
  m.failures.delete(player);
  if (token === undefined) return;
  const own = m.devices.filter((one) => one.player === player && m.now < one.used + KEPT_FOR);
  const others = own.filter((one) => one.token !== token).toSorted((a, b) => a.used - b.used);
  const kept = [...others.slice(1 - MAX_DEVICES), { player, token, used: m.now, failures: undefined }];
  m.devices = [...m.devices.filter((one) => one.player !== player), ...kept];
};
