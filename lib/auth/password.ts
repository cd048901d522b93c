/** Password hashing with argon2id, in the standard encoded form, so that the cost can be raised later. */
import { argon2, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isSameAlias } from "../domain/accounts/alias.ts";
import { DomainError } from "../domain/domainError.ts";
import { SECOND } from "../domain/time.ts";
import { openFairQueue } from "../runtime/fairQueue.ts";

export interface HashCost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** The minimum for argon2id in OWASP's Password Storage Cheat Sheet. */
export const PRODUCTION_COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };

export const PASSWORD_LENGTH = { min: 8, max: 128 };

const TAG_LENGTH = 32;
const SALT_LENGTH = 16;

// Keyboards compose characters differently; this normalizes them (RFC 8265, OpaqueString).
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFC"), "utf8");

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/**
 * How many hashes a process computes at once. Each keeps a processor busy and occupies a thread of libuv's pool, which has
 * four: so two are left for compression, names and files of other requests.
 */
export const HASHES_AT_ONCE = 2;
/** How many hashes may wait, and for how long: about as many as are computed in that time. */
export const MAX_WAITING_HASHES = 100;
const MAX_WAIT_MS = 3 * SECOND;
const RETRY_AFTER_SECONDS = 2;

const takeTurn = openFairQueue({ atOnce: HASHES_AT_ONCE, maxWaiting: MAX_WAITING_HASHES });

/** Every hash of a password is computed here, in its turn. @throws DomainError `unavailable` if too many wait */
const derive = async (password: string, nonce: Buffer, cost: HashCost): Promise<Buffer> => {
  const derived = await takeTurn(
    { who: "", waitMs: MAX_WAIT_MS },
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const parameters = { message: bytesOf(password), nonce, tagLength: TAG_LENGTH, ...cost };
        argon2("argon2id", parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
      }),
  );
  if (derived !== null) return derived;
  throw new DomainError("unavailable", "Too many passwords are being checked. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
};

const costText = ({ memory, passes, parallelism }: HashCost): string =>
  `m=${memory},t=${passes},p=${parallelism}`;

/**
 * Hashes a password, in encoded form `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
 * @throws DomainError `unavailable` if too many hashes wait for their turn
 */
export const hashPassword = async (password: string, cost: HashCost): Promise<string> => {
  const salt = randomBytes(SALT_LENGTH);
  const tag = await derive(password, salt, cost);
  return `$argon2id$v=19$${costText(cost)}$${base64(salt)}$${base64(tag)}`;
};

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Whether a password matches a stored hash of any cost.
 * @throws Error when the stored hash is malformed; DomainError `unavailable` if too many hashes wait for their turn
 */
export const verifyPassword = async (password: string, encoded: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt, tag] = ENCODED.exec(encoded) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("a stored password hash has an unknown form");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"), cost);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};

/**
 * A deterministic digest of a password, as expensive to attack as a stored hash.
 * @throws DomainError `unavailable` if too many hashes wait for their turn
 */
export const passwordDigest = async (password: string, salt: string, cost: HashCost): Promise<string> =>
  base64(await derive(password, createHash("sha256").update(salt).digest(), cost));

/** A hash that matches no password. Verifying against it costs as much as against a real one, for unknown aliases. */
export const impossibleHash = ({ memory, passes, parallelism }: HashCost): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Whether a hash was made at a cost other than the current one. */
export const needsRehash = (encoded: string, cost: HashCost): boolean =>
  !encoded.includes(`$${costText(cost)}$`);

/** The issue with the length of a new password; `null` if it is valid. */
export const passwordLengthIssue = (password: string): string | null => {
  const length = [...password].length;
  const { min, max } = PASSWORD_LENGTH;
  return length < min || length > max ? `must have ${min} to ${max} characters` : null;
};

/** Why a new password is easy to guess; `null` if it is not. */
export const commonPasswordIssue = async (password: string): Promise<string | null> => {
  // Imported on demand, because the list is large and most functions never need it.
  const { isCommonPassword } = await import("./commonPasswords.ts");
  return isCommonPassword(password) ? "is one of the most common passwords; choose another" : null;
};

/** The first issue of a new password; `null` if it is valid. */
export const passwordIssue = async (password: string): Promise<string | null> =>
  passwordLengthIssue(password) ?? commonPasswordIssue(password);

/** Whether a password is the alias, in any spelling of it. */
export const isSameAsAlias = (password: string, alias: string): boolean => isSameAlias(password, alias);
