/** The model's rules of sessions, passwords and login backoff. */
import { DAY, HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import { foldedOf } from "./names.ts";
import type { Device, Model, Player, Session } from "./state.ts";

export type Code = keyof typeof STATUS_OF;

/** A request that the rules reject. */
export class ModelError extends Error {
  override readonly name = "Refused";
  readonly code: Code;
  readonly status: number;
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number | null;

  constructor(code: Code, wait: number | null = null) {
    super(code);
    this.code = code;
    this.status = STATUS_OF[code];
    this.retryAfter = wait === null ? null : Math.ceil(wait / SECOND);
  }
}

/** How long sessions last: without use, and in total; and how often their use is recorded. */
const LIFETIMES = {
  player: { idle: 7 * DAY, inAll: 30 * DAY, noted: DAY },
  administrator: { idle: 12 * HOUR, inAll: 7 * DAY, noted: HOUR },
};

export const lifetimeOf = ({ is_admin }: Player) => LIFETIMES[is_admin ? "administrator" : "player"];

/** Whether a session is active, by the player's present role. */
export const isLive = (m: Model, session: Session, player: Player): boolean => {
  const { idle, inAll } = lifetimeOf(player);
  const { createdAt, lastUsed, expiresAt } = session;
  return m.now < Math.min(expiresAt, createdAt + inAll, lastUsed + idle);
};

/** The live session of a player by this token. @throws ModelError `token_rejected` */
export const sessionBy = (m: Model, token: string | null, player: Player | undefined): Session => {
  const session = m.sessions.find((one) => one.token === token && one.player === player?.id);
  if (session === undefined || player === undefined || !isLive(m, session, player)) {
    throw new ModelError("token_rejected");
  }
  return session;
};

/** The caller. @throws ModelError `token_rejected`, `not_administrator` */
export const authenticate = (
  m: Model,
  by: string,
  token: string | null,
  asAdministrator: boolean,
): Player => {
  const player = m.players.find(({ id }) => id === by);
  const session = sessionBy(m, token, player);
  if (player === undefined) throw new ModelError("token_rejected");
  if (asAdministrator && !player.is_admin) throw new ModelError("not_administrator");
  if (m.now - session.lastUsed >= lifetimeOf(player).noted) session.lastUsed = m.now;
  return player;
};

const MOST_SESSIONS = 20;

/** Opens a session. If the player has too many, the oldest one ends. */
export const openSession = (m: Model, player: Player, token: string, from: string): Session => {
  const expiresAt = m.now + lifetimeOf(player).inAll;
  const session = { player: player.id, token, from, createdAt: m.now, lastUsed: m.now, expiresAt };
  const own = m.sessions.filter((one) => one.player === player.id && isLive(m, one, player));
  const kept = [...own, session].slice(-MOST_SESSIONS);
  m.sessions = [...m.sessions.filter((one) => one.player !== player.id), ...kept];
  return session;
};

/** The numbers of failures from one address, and of addresses with failures, that cause no wait (decision 16). */
const FREE_FAILURES = 4;
const FREE_ADDRESSES = 3;

const waitAfter = (beyond: number): number =>
  beyond <= 0 ? 0 : Math.min(MINUTE, SECOND * 2 ** (beyond - 1));

/** The account whose failures are counted: a player, or an alias without a player. */
export const accountOf = (alias: string, player: Player | undefined): string =>
  player?.id ?? `nobody ${foldedOf(alias)}`;

/** An address that has failed at an account is not new there for six hours, and at most for twelve. */
const NOT_NEW = 6 * HOUR;
/** How long an unused device or address is stored, and the maximum number of each. */
const KEPT_FOR = 180 * DAY;
const [MOST_DEVICES, MOST_ADDRESSES] = [20, 10];

/** A device whose token is unknown. */
export const UNKNOWN_DEVICE = "unknown";

/** The address and the device token of an attempt. */
export interface From {
  from: string;
  device: string | null | undefined;
}

/** The device of an attempt, if the account knows its token. */
export const deviceBy = (m: Model, account: string, token: From["device"]): Device | undefined =>
  m.devices.find((one) => one.player === account && one.token === token && m.now < one.used + KEPT_FOR);

const isForgotten = (m: Model, last: number): boolean => last <= m.now - HOUR;

const ownEnd = (m: Model, own: { count: number; last: number } | undefined): number[] => {
  const wait = own === undefined || isForgotten(m, own.last) ? 0 : waitAfter(own.count - FREE_FAILURES);
  return own !== undefined && wait > 0 ? [own.last + wait] : [];
};

const isAtHome = (m: Model, account: string, from: string): boolean =>
  m.sessions.some((session) => session.player === account && session.from === from) ||
  m.addresses.some((one) => one.player === account && one.from === from && m.now < one.used + KEPT_FOR);

/** Whether an address has no recent failures at an account. */
const isNew = (m: Model, account: string, from: string): boolean => {
  const seen = m.newcomers.find((one) => one.account === account);
  if (seen === undefined) return true;
  const { since, recent, earlier } = seen;
  return !(
    (m.now < since + 2 * NOT_NEW && recent.includes(from)) ||
    (m.now < since + NOT_NEW && earlier.includes(from))
  );
};

/** @throws ModelError `too_many_attempts` when the caller has to wait */
export const requireNoWait = (m: Model, account: string, { from, device }: From): void => {
  const known = deviceBy(m, account, device);
  const recent = m.failures.filter((one) => one.account === account && !isForgotten(m, one.last));
  const here = recent.find((one) => one.from === from);
  // With so few failures, the allowance of new addresses is never half used.
  const isStranger = here === undefined ? !isNew(m, account, from) : here.count >= FREE_FAILURES;
  const waitsForAll = known === undefined && isStranger && !isAtHome(m, account, from);
  const everyones = waitsForAll ? waitAfter(recent.length - FREE_ADDRESSES) : 0;
  const ends = [
    ...ownEnd(m, known === undefined ? here : known.failures),
    ...(everyones > 0 ? [Math.max(...recent.map(({ last }) => last)) + everyones] : []),
  ];
  const wait = Math.max(0, ...ends.map((end) => end - m.now));
  if (wait > 0) throw new ModelError("too_many_attempts", wait);
};

/** Removes the failures at an account that are an hour old and, after a success, those from this address. */
const forget = (m: Model, account: string, from?: string): void => {
  m.failures = m.failures.filter(
    (one) => one.account !== account || (from === undefined ? !isForgotten(m, one.last) : one.from !== from),
  );
};

/** Notes that an address has failed, so that it is no longer new. */
const noteNewcomer = (m: Model, account: string, from: string): void => {
  if (isAtHome(m, account, from) || !isNew(m, account, from)) return;
  const before = m.newcomers.find((one) => one.account === account);
  m.newcomers = m.newcomers.filter((one) => one !== before);
  if (before === undefined || m.now >= before.since + NOT_NEW) {
    const earlier = before !== undefined && m.now < before.since + 2 * NOT_NEW ? before.recent : [];
    m.newcomers.push({ account, since: m.now, recent: [from], earlier });
  } else m.newcomers.push({ ...before, recent: [...before.recent, from] });
};

/** Counts a failure: of the device, or of the address. */
export const fail = (m: Model, account: string, { from, device }: From): void => {
  const known = deviceBy(m, account, device);
  if (known !== undefined) {
    const count =
      known.failures === undefined || isForgotten(m, known.failures.last) ? 0 : known.failures.count;
    known.failures = { count: count + 1, last: m.now };
    return;
  }
  noteNewcomer(m, account, from);
  forget(m, account);
  const here = m.failures.find((one) => one.account === account && one.from === from);
  m.failures = m.failures.filter((one) => one !== here);
  m.failures.push({ account, from, count: (here?.count ?? 0) + 1, last: m.now });
};

const latest = <T extends { player: string; used: number }>(
  m: Model,
  all: T[],
  one: T,
  most: number,
): T[] => {
  const own = all.filter(({ player, used }) => player === one.player && m.now < used + KEPT_FOR);
  const inOrder = own.toSorted((a, b) => a.used - b.used);
  return [...all.filter(({ player }) => player !== one.player), ...inOrder.slice(1 - most), one];
};

/**
 * Notes a correct password: failures from this address are removed, and the address is known.
 * @param device the token of the device, if it is known from now on
 */
export const succeed = (m: Model, player: string, from: string, device?: string): void => {
  forget(m, player, from);
  const others = m.addresses.filter((one) => one.player !== player || one.from !== from);
  m.addresses = latest(m, others, { player, from, used: m.now }, MOST_ADDRESSES);
  if (device === undefined) return;
  const rest = m.devices.filter((one) => one.player !== player || one.token !== device);
  const one = { player, token: device, used: m.now, failures: undefined };
  m.devices = latest(m, rest, one, MOST_DEVICES);
};
