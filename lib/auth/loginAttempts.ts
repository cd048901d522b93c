/** Login attempts, by password or recovery code: the data they need, their throttling, and the record of failures. */
import { foldAlias, isSameAlias } from "../domain/accounts/alias.ts";
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
import type { Player } from "../domain/players/player.ts";
import { SECOND } from "../domain/time.ts";
import type { Put, ReadOptions, Write } from "../dynamodb/database.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Credential, Device, Sessions } from "../store/accounts/accountItems.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { addressDigest, findDevice, isKnownAddress, recordDeviceFailure } from "./devices.ts";
import { type HashCost, impossibleHash, verifyPassword } from "./password.ts";
import { type ClientAddress, rateLimiter } from "./rateLimit.ts";

/** The account of an attempt. An unknown alias may have recorded failures, and nothing else. */
export interface LoginContext {
  /** The player's id, or a substitute for an unknown alias. */
  id: string;
  player: Player | null;
  credential: Credential | null;
  sessions: Sessions | null;
}

/** The substitute for a player id when an alias is unknown; no player id looks like it. */
const unknownAliasId = (alias: string): string => `NOBODY#${sha256(foldAlias(alias))}`;

const NETWORK = /^((?:[0-9a-f]+:){3}).*::\/64$/;

/**
 * The short hash of the site of a failed attempt. For IPv6 that is the /48, which RFC 6177 calls a site: its owner has
 * 65,536 networks, each of which would count as a new address.
 */
const siteHash = ({ address }: ClientAddress): string =>
  sha256(NETWORK.exec(address)?.[1] ?? address).slice(0, SITE_MARK_LENGTH);

/** The id of the player with a confirmed address; `null` if nobody has confirmed it. */
const ownerOfAddress = async ({ db }: Store, name: string): Promise<string | null> => {
  if (!name.includes("@")) return null;
  // Imported on demand: most players log in by their alias.
  const { confirmedOwner } = await import("../store/mail/mailAccounts.ts");
  return confirmedOwner(db, name);
};

/**
 * Reads the account of an attempt, by alias or by confirmed address. An unknown name takes the same reads, so that timing does
 * not reveal it. A recovery code is read by a given-up alias too: the link with it names the alias of when it was made.
 */
const readLoginContext = async (
  store: Store,
  { alias, isByRecoveryCode: isByCode = false }: Pick<LoginAttempt, "alias" | "isByRecoveryCode">,
  how: ReadOptions,
): Promise<LoginContext> => {
  const read = async (id: string, reading: ReadOptions): Promise<LoginContext> => ({
    id,
    ...(await store.account(id, reading)),
  });
  const hasAlias = ({ player, credential }: LoginContext): boolean =>
    player !== null &&
    credential !== null &&
    [player.alias, ...(isByCode ? player.former_aliases : [])].some((one) => isSameAlias(one, alias));
  // The guard of an address is written with its player, so the address need not be compared.
  const hasAddress = ({ player, credential }: LoginContext): boolean =>
    player?.email_confirmed === true && credential !== null;
  const byAlias = await store.playerIdByAlias(alias, { isFormerToo: isByCode });
  const owner = byAlias ?? (await ownerOfAddress(store, alias));
  if (owner === null) return read(unknownAliasId(alias), how);
  const isOwner = byAlias === null ? hasAddress : hasAlias;
  const context = await read(owner, how);
  if (isOwner(context)) return context;
  // The player has just registered, been renamed or been deleted. No failure is recorded for a deleted account.
  const reread = await read(owner, {});
  return isOwner(reread) ? reread : read(unknownAliasId(alias), how);
};

export const badCredentials = (): DomainError =>
  new DomainError("bad_credentials", "The alias or the password is wrong.");

/** The same for an unknown alias and for a code that is wrong, has expired or has been used. */
export const badRecoveryCode = (): DomainError =>
  new DomainError(
    "bad_credentials",
    "This code is not valid for this alias, or not any more. Ask a game master for a new one.",
  );

/** Makes a password check that hashes only once per stored hash, however often a conflict repeats the attempt. */
export const passwordChecker = (password: string, cost: HashCost) => {
  const checked = new Map<string, Promise<boolean>>();
  return async ({
    player,
    credential,
  }: LoginContext): Promise<{ player: Player; credential: Credential }> => {
    const hash = credential?.hash ?? impossibleHash(cost);
    const isCorrect = checked.get(hash) ?? verifyPassword(password, hash);
    checked.set(hash, isCorrect);
    if ((await isCorrect) && player !== null && credential !== null) return { player, credential };
    throw badCredentials();
  };
};

export interface LoginServices {
  store: Store;
  cost: HashCost;
  throttles: Throttles;
}

export interface LoginAttempt {
  alias: string;
  clientAddress: ClientAddress;
  /** Milliseconds since 1970. */
  now: number;
  /** The device token that was sent, if any. */
  device?: string | null | undefined;
  /** Whether it is by a recovery code. These cannot be guessed, so failed attempts of others do not delay the owner. */
  isByRecoveryCode?: boolean;
}

/** An address and whether the account knows it. Earlier versions stored addresses only with sessions. */
const loginSourceOf = (
  { credential, sessions }: LoginContext,
  clientAddress: ClientAddress,
  now: number,
): LoginSource => {
  const from = addressDigest(clientAddress);
  const hasSession = sessions?.sessions.some((session) => session.from === from) === true;
  return { from, site: siteHash(clientAddress), known: hasSession || isKnownAddress(credential, from, now) };
};

/** The origin of an attempt: a known device, or an address. */
interface Origin {
  device: Device | null;
  source: LoginSource;
}

const requireNoWait = (
  { credential }: LoginContext,
  { device, source }: Origin,
  { now, isByRecoveryCode }: LoginAttempt,
  throttles: Throttles,
): void => {
  if (isByRecoveryCode === true) return;
  const wait =
    device === null
      ? loginWait(credential ?? {}, source, now, throttles)
      : ownFailureWait(device.failures, now, throttles.backoff);
  if (wait > 0) throw tooManyAttempts(wait, "Too many failed attempts at this account. Try again later.");
};

/** The write that records a failure. Its condition serializes concurrent attempts. */
const failureWrite = (
  { id, credential }: LoginContext,
  { device, source }: Origin,
  now: number,
  { throttles, cost }: LoginServices,
): Put => {
  const { backoff, newAddresses } = throttles;
  const isUnknownAlias = credential === null || credential.expires !== undefined;
  return {
    put: {
      hash: impossibleHash(cost),
      ...credential,
      ...keys.credential(id),
      rev: (credential?.rev ?? 0) + 1,
      ...(credential === null || device === null
        ? withFailedLogin(credential ?? {}, source, now, throttles)
        : { devices: recordDeviceFailure(credential, device, now, backoff) }),
      ...(isUnknownAlias ? { expires: Math.ceil((now + 2 * newAddresses.rememberMs) / SECOND) } : {}),
    },
    expect: credential === null ? "absent" : { rev: credential.rev },
  };
};

/**
 * Reads the account, checks the throttles and calls `decide`. A failed attempt gives the domain error and the write that
 * records it.
 * @param isRetry whether the previous attempt's write failed because the account had changed
 * @param onLoaded called with the account before the attempt can be rejected
 */
export type CheckAttempt = <T>(
  isRetry: boolean,
  onLoaded: (context: LoginContext) => void,
  decide: (context: LoginContext) => Promise<T>,
) => Promise<T | { changes: { writes: Write[] }; error: DomainError }>;

/**
 * Runs an attempt under the rate limit of its address.
 * @param work calls `checkAttempt` and commits the writes of its result, again after a conflict; the `decide` that it
 *   passes throws the DomainError `bad_credentials` for a failed attempt
 * @throws DomainError `too_many_attempts` when the account or the address has to wait; errors of `work`
 */
export const attemptLogin = <R>(
  services: LoginServices,
  attempt: LoginAttempt,
  work: (checkAttempt: CheckAttempt) => Promise<R>,
): Promise<R> =>
  rateLimiter(services, attempt.clientAddress, attempt.now, ({ check, start }) =>
    work(async (isRetry, onLoaded, decide) => {
      // An attempt by password writes on condition that the credential is as read, so a stale read causes only a retry.
      // A failed attempt by recovery code writes nothing, so it needs a consistent read.
      const how = { consistent: isRetry || attempt.isByRecoveryCode === true };
      const [context, addressError] = await Promise.all([
        readLoginContext(services.store, attempt, how),
        check(),
      ]);
      onLoaded(context);
      const { now } = attempt;
      const origin: Origin = {
        device: findDevice(context.credential, attempt.device, now),
        source: loginSourceOf(context, attempt.clientAddress, now),
      };
      // Repeated failures block an address, except for known devices and for accounts that know the address.
      if (addressError !== null && origin.device === null && !origin.source.known) throw addressError;
      requireNoWait(context, origin, attempt, services.throttles);
      // No wait of the account or of a device limits recovery codes.
      start({ isOnlyLimit: attempt.isByRecoveryCode === true });
      try {
        return await decide(context);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === "bad_credentials")) throw error;
        const writes =
          attempt.isByRecoveryCode === true ? [] : [failureWrite(context, origin, now, services)];
        return { changes: { writes }, error };
      }
    }),
  );

/**
 * Makes the check whether the password of a registration is that of a player who has left during play. Each request hashes
 * once, whether somebody is found or not, and each unsuccessful check counts as a failure of its address, so that neither
 * the duration nor the limits reveal who has left. A throttled check fails like a wrong password.
 * @returns the check for the account of a departure (see `departedAccount`), again after a conflict. Its writes count a
 *   failure at that account
 */
export const departureChecker = (
  services: LoginServices,
  { password, clientAddress, now }: { password: string; clientAddress: ClientAddress; now: number },
): ((id: string) => Promise<{ isProved: boolean; credential: Credential | null; writes: Write[] }>) => {
  const { store, cost, throttles } = services;
  let checkedHash: string | undefined;
  let isCorrect = false;
  let isAddressBlocked = false;
  const hashOnce = async (hash: string): Promise<boolean> => {
    if (checkedHash !== undefined) return isCorrect && hash === checkedHash;
    checkedHash = hash;
    isCorrect = await rateLimiter(services, clientAddress, now, async ({ check, start }) => {
      isAddressBlocked = (await check()) !== null;
      const isMatch = await verifyPassword(password, isAddressBlocked ? impossibleHash(cost) : hash);
      if (!isAddressBlocked) start();
      if (!isMatch) throw badCredentials();
      return true;
    }).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === "bad_credentials") return false;
      throw error;
    });
    return isCorrect;
  };
  return async (id) => {
    const context: LoginContext = { id, ...(await store.account(id)) };
    const { credential } = context;
    const source = loginSourceOf(context, clientAddress, now);
    const isThrottled = loginWait(credential ?? {}, source, now, throttles) > 0;
    const matches = await hashOnce(
      isThrottled || credential === null ? impossibleHash(cost) : credential.hash,
    );
    const isProved = matches && credential !== null && !isThrottled;
    const isCounted = !isProved && credential !== null && !isThrottled && !isAddressBlocked;
    const writes = isCounted ? [failureWrite(context, { device: null, source }, now, services)] : [];
    return { isProved, credential, writes };
  };
};
