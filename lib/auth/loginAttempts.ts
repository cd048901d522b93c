/** Attempts at an account, by password or recovery code: what they are judged by, who may make one, what failing costs. */
import { createHash } from "node:crypto";
import { foldAlias, isSameAlias } from "../domain/alias.ts";
import {
  type LoginSource,
  loginWait,
  ownFailureWait,
  SITE_MARK_LENGTH,
  type Throttles,
  tooManyAttempts,
  withFailedLogin,
} from "../domain/backoff.ts";
import { DomainError } from "../domain/domainError.ts";
import type { Player } from "../domain/player.ts";
import { SECOND } from "../domain/time.ts";
import type { Put, ReadOptions, Write } from "../dynamodb/database.ts";
import type { Credential, Device, Sessions } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { findDevice, isKnownAddress, recordDeviceFailure } from "./devices.ts";
import { type HashCost, verifyPassword } from "./password.ts";
import { type ClientAddress, rateLimiter } from "./rateLimit.ts";

/** What an attempt is judged by; an alias that nobody has may have failures, and nothing else. */
export interface LoginContext {
  /** The player's id, or what stands for one. */
  id: string;
  player: Player | null;
  credential: Credential | null;
  sessions: Sessions | null;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What stands for the id of an alias that nobody has; no player has one like it. */
const nobodysId = (alias: string): string => `NOBODY#${digest(foldAlias(alias))}`;

/** An address as it is kept with an account: just enough to know it again. */
export const addressDigest = ({ address }: ClientAddress): string => digest(address).slice(0, 12);

const NETWORK = /^((?:[0-9a-f]+:){3}).*::\/64$/;

/**
 * The short mark of an address that failed. Of IPv6 it is the /48 that counts: whoever is given one, a site in the words
 * of RFC 6177, has 65,536 networks, each of which would be a new address.
 */
const siteOf = ({ address }: ClientAddress): string =>
  digest(NETWORK.exec(address)?.[1] ?? address).slice(0, SITE_MARK_LENGTH);

/** Reads what an attempt is judged by; as much for an alias that nobody has. */
const loginScene = async (store: Store, alias: string, how: ReadOptions): Promise<LoginContext> => {
  const read = async (id: string, reading: ReadOptions): Promise<LoginContext> => ({
    id,
    ...(await store.account(id, reading)),
  });
  const isTheirs = ({ player, credential }: LoginContext): boolean =>
    player !== null && credential !== null && isSameAlias(player.alias, alias);
  const owner = await store.playerIdByAlias(alias);
  if (owner === null) return read(nobodysId(alias), how);
  const scene = await read(owner, how);
  if (isTheirs(scene)) return scene;
  // Registered or renamed this very moment, or deleted: no failure is counted on an account that is gone.
  const again = await read(owner, {});
  return isTheirs(again) ? again : read(nobodysId(alias), how);
};

/** A hash that no password has, so that an alias nobody has costs as much as one that somebody has. */
const hashOfNothing = ({ memory, passes, parallelism }: HashCost): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

export const badCredentials = (): DomainError =>
  new DomainError("bad_credentials", "The alias or the password is wrong.");

/** Checks passwords; what has been checked is not worked out again when a race makes the rest be judged anew. */
export const passwordChecker = (password: string, cost: HashCost) => {
  const checked = new Map<string, Promise<boolean>>();
  return async ({
    player,
    credential,
  }: LoginContext): Promise<{ player: Player; credential: Credential }> => {
    const hash = credential?.hash ?? hashOfNothing(cost);
    const right = checked.get(hash) ?? verifyPassword(password, hash);
    checked.set(hash, right);
    if ((await right) && player !== null && credential !== null) return { player, credential };
    throw badCredentials();
  };
};

/** What attempts need of the service. */
export interface LoginServices {
  store: Store;
  cost: HashCost;
  throttles: Throttles;
}

/** At whose account somebody tries, and from where. */
export interface LoginAttempt {
  alias: string;
  clientAddress: ClientAddress;
  /** Milliseconds since 1970. */
  now: number;
  /** The device token that came with it, if one did. */
  device?: string | null | undefined;
  /** Whether it is by a code that nobody can guess: then no enemy who guesses passwords keeps its owner waiting. */
  unguessable?: boolean;
}

/** An address as the account knows it. Earlier versions have noted with its sessions alone where they were opened. */
const loginSourceOf = (
  { credential, sessions }: LoginContext,
  source: ClientAddress,
  now: number,
): LoginSource => {
  const from = addressDigest(source);
  const hasSession = sessions?.sessions.some((session) => session.from === from) === true;
  return { from, site: siteOf(source), known: hasSession || isKnownAddress(credential, from, now) };
};

/** What an attempt is known by: a device, or its address. */
interface KnownBy {
  device: Device | null;
  source: LoginSource;
}

const requireNoWait = (
  { credential }: LoginContext,
  { device, source }: KnownBy,
  { now, unguessable }: LoginAttempt,
  throttles: Throttles,
): void => {
  if (unguessable === true) return;
  const wait =
    device === null
      ? loginWait(credential ?? {}, source, now, throttles)
      : ownFailureWait(device.failures, now, throttles.backoff);
  if (wait > 0) throw tooManyAttempts(wait, "Too many failed attempts at this account. Wait a little.");
};

/** The write that counts a failure. Of attempts made side by side it lets one after the other through. */
const failureWrite = (
  { id, credential }: LoginContext,
  { device, source }: KnownBy,
  now: number,
  { throttles, cost }: LoginServices,
): Put => {
  const { backoff, newAddresses } = throttles;
  const isNobodys = credential === null || credential.expires !== undefined;
  return {
    put: {
      hash: hashOfNothing(cost),
      ...credential,
      ...keys.credential(id),
      rev: (credential?.rev ?? 0) + 1,
      ...(credential === null || device === null
        ? withFailedLogin(credential ?? {}, source, now, throttles)
        : { devices: recordDeviceFailure(credential, device, now, backoff) }),
      ...(isNobodys ? { expires: Math.ceil((now + 2 * newAddresses.rememberMs) / SECOND) } : {}),
    },
    expect: credential === null ? "absent" : { rev: credential.rev },
  };
};

/** Reads, lets in and judges, each time anew, and `again` after a try that has lost; a failure comes as a refusal and the write that counts it. */
export type CheckAttempt = <T>(
  again: boolean,
  seen: (scene: LoginContext) => void,
  judge: (scene: LoginContext) => Promise<T>,
) => Promise<T | { changes: { writes: Write[] }; error: DomainError }>;

/**
 * Makes an attempt. `judge` throws the DomainError `bad_credentials` for one that fails. Nobody hears what it came to
 * unless its own write, of a session or of a failure, was the next one after what it had read.
 * @throws DomainError `too_many_attempts` when the account or the address has to wait
 */
export const attemptLogin = <R>(
  door: LoginServices,
  attempt: LoginAttempt,
  work: (tryOnce: CheckAttempt) => Promise<R>,
): Promise<R> =>
  rateLimiter(door, attempt.clientAddress, attempt.now, ({ check: room, start: begun }) =>
    work(async (again, seen, judge) => {
      // What comes of a password is written on condition that the credential is as read: one that is a moment old is
      // read again. What comes of a code that failed is not written.
      const how = { consistent: again || attempt.unguessable === true };
      const [scene, full] = await Promise.all([loginScene(door.store, attempt.alias, how), room()]);
      seen(scene);
      const { now } = attempt;
      const known: KnownBy = {
        device: findDevice(scene.credential, attempt.device, now),
        source: loginSourceOf(scene, attempt.clientAddress, now),
      };
      // Somebody who fails again and again closes an address to strangers, not to known devices or where it is known.
      if (full !== null && known.device === null && !known.source.known) throw full;
      requireNoWait(scene, known, attempt, door.throttles);
      begun();
      try {
        return await judge(scene);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === "bad_credentials")) throw error;
        const writes = attempt.unguessable === true ? [] : [failureWrite(scene, known, now, door)];
        return { changes: { writes }, error };
      }
    }),
  );
