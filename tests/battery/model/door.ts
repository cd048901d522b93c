/** The model's door: sessions, passwords and who has to wait. */
import { DAY, HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import { foldedOf } from "./names.ts";
import type { Model, Player, Session } from "./state.ts";

export type Code = keyof typeof STATUS_OF;

/** A request that the rules refuse. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: Code;
  readonly status: number;
  /** Seconds, where somebody has to wait. */
  readonly retryAfter: number | null;

  constructor(code: Code, wait: number | null = null) {
    super(code);
    this.code = code;
    this.status = STATUS_OF[code];
    this.retryAfter = wait === null ? null : Math.ceil(wait / SECOND);
  }
}

/** How long sessions last: without use, in all, and how often use is written down. */
const LIFETIMES = {
  player: { idle: 7 * DAY, inAll: 30 * DAY, noted: DAY },
  administrator: { idle: 12 * HOUR, inAll: 7 * DAY, noted: HOUR },
};

export const lifetimeOf = ({ is_admin }: Player) => LIFETIMES[is_admin ? "administrator" : "player"];

/** Whether a session is one that its player, as they are now, gets in by. */
export const isLive = (m: Model, session: Session, player: Player): boolean => {
  const { idle, inAll } = lifetimeOf(player);
  const { createdAt, lastUsed, expiresAt } = session;
  return m.now < Math.min(expiresAt, createdAt + inAll, lastUsed + idle);
};

/** The live session of a player by this token. @throws Refused `token_rejected` */
export const sessionBy = (m: Model, token: string | null, player: Player | undefined): Session => {
  const session = m.sessions.find((one) => one.token === token && one.player === player?.id);
  if (session === undefined || player === undefined || !isLive(m, session, player)) {
    throw new Refused("token_rejected");
  }
  return session;
};

/** Who is asking. @throws Refused `token_rejected`, `not_administrator` */
export const admit = (m: Model, by: string, token: string | null, asAdministrator: boolean): Player => {
  const player = m.players.find(({ id }) => id === by);
  const session = sessionBy(m, token, player);
  if (player === undefined) throw new Refused("token_rejected");
  if (asAdministrator && !player.is_admin) throw new Refused("not_administrator");
  if (m.now - session.lastUsed >= lifetimeOf(player).noted) session.lastUsed = m.now;
  return player;
};

const MOST_SESSIONS = 20;

/** Opens a session; the oldest of a player's gives way when there are too many. */
export const openSession = (m: Model, player: Player, token: string, from: string): Session => {
  const expiresAt = m.now + lifetimeOf(player).inAll;
  const session = { player: player.id, token, from, createdAt: m.now, lastUsed: m.now, expiresAt };
  const own = m.sessions.filter((one) => one.player === player.id && isLive(m, one, player));
  const kept = [...own, session].slice(-MOST_SESSIONS);
  m.sessions = [...m.sessions.filter((one) => one.player !== player.id), ...kept];
  return session;
};

/** So many failures from one address, and so many addresses that fail, cost nothing (decision 16). */
const FREE_FAILURES = 4;
const FREE_ADDRESSES = 3;

const waitAfter = (beyond: number): number =>
  beyond <= 0 ? 0 : Math.min(MINUTE, SECOND * 2 ** (beyond - 1));

/** Whose failures are counted: the player's, or those at an alias that nobody has. */
export const accountOf = (alias: string, player: Player | undefined): string =>
  player?.id ?? `nobody ${foldedOf(alias)}`;

/** Passes one who need not wait. @throws Refused `too_many_attempts` */
export const requireNoWait = (m: Model, account: string, from: string): void => {
  const recent = m.failures.filter((one) => one.account === account && one.last > m.now - HOUR);
  const here = recent.find((one) => one.from === from);
  const isHome = m.sessions.some((session) => session.player === account && session.from === from);
  const everyones = isHome ? 0 : waitAfter(recent.length - FREE_ADDRESSES);
  const own = waitAfter((here?.count ?? 0) - FREE_FAILURES);
  const ends = [
    ...(own > 0 ? [(here?.last ?? 0) + own] : []),
    ...(everyones > 0 ? [Math.max(...recent.map(({ last }) => last)) + everyones] : []),
  ];
  const wait = Math.max(0, ...ends.map((end) => end - m.now));
  if (wait > 0) throw new Refused("too_many_attempts", wait);
};

/** Forgets what failed at an account an hour ago, and, after a success, what failed there from this address. */
const forget = (m: Model, account: string, from?: string): void => {
  m.failures = m.failures.filter(
    (one) => one.account !== account || (from === undefined ? one.last > m.now - HOUR : one.from !== from),
  );
};

/** Counts a failure. */
export const fail = (m: Model, account: string, from: string): void => {
  forget(m, account);
  const here = m.failures.find((one) => one.account === account && one.from === from);
  m.failures = m.failures.filter((one) => one !== here);
  m.failures.push({ account, from, count: (here?.count ?? 0) + 1, last: m.now });
};

export const succeed = (m: Model, account: string, from: string): void => forget(m, account, from);
