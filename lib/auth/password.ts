/** Passwords: argon2id, stored in the standard encoded form, so that the cost can be raised later. */
import { argon2, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isSameAlias } from "../domain/alias.ts";

/** What hashing a password costs: memory in KiB, passes over it, lanes. */
export interface HashCost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** 19 MiB, 2 passes, 1 lane: the least that OWASP's Password Storage Cheat Sheet asks of argon2id. */
export const PRODUCTION_COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };

export const PASSWORD_LENGTH = { min: 8, max: 128 };

const TAG_LENGTH = 32;
const SALT_LENGTH = 16;

// One form for a password however the keyboard composes it (RFC 8265, OpaqueString).
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFC"), "utf8");

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

const derive = (password: string, nonce: Buffer, cost: HashCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parameters = { message: bytesOf(password), nonce, tagLength: TAG_LENGTH, ...cost };
    argon2("argon2id", parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });

const costText = ({ memory, passes, parallelism }: HashCost): string =>
  `m=${memory},t=${passes},p=${parallelism}`;

/** The hash of a password in encoded form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export const hashPassword = async (password: string, cost: HashCost): Promise<string> => {
  const salt = randomBytes(SALT_LENGTH);
  const tag = await derive(password, salt, cost);
  return `$argon2id$v=19$${costText(cost)}$${base64(salt)}$${base64(tag)}`;
};

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Whether the password is the one that was hashed, at whatever cost.
 * @throws Error when the stored form is none that this service has written
 */
export const verifyPassword = async (password: string, encoded: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt, tag] = ENCODED.exec(encoded) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("a stored password hash has an unknown form");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const known = Buffer.from(tag, "base64");
  const given = await derive(password, Buffer.from(salt, "base64"), cost);
  return known.length === given.length && timingSafeEqual(known, given);
};

/** A digest of a password that is the same each time, and as dear to guess from as a stored hash. */
export const passwordDigest = async (password: string, salt: string, cost: HashCost): Promise<string> =>
  base64(await derive(password, createHash("sha256").update(salt).digest(), cost));

/** Whether a hash was made at another cost than today's, and is to be made anew. */
export const needsRehash = (encoded: string, cost: HashCost): boolean =>
  !encoded.includes(`$${costText(cost)}$`);

/** What is wrong with the length of a new password, as a sentence; `null` when nothing is. */
export const passwordLengthIssue = (password: string): string | null => {
  const length = [...password].length;
  const { min: least, max: most } = PASSWORD_LENGTH;
  return length < least || length > most ? `must have ${least} to ${most} characters` : null;
};

/** Why a new password is easily guessed, as a sentence; `null` when it is not. */
export const commonPasswordIssue = async (password: string): Promise<string | null> => {
  // The list is large, and most functions never see a new password.
  const { isCommonPassword } = await import("./commonPasswords.ts");
  return isCommonPassword(password) ? "is one of the most common passwords; choose another" : null;
};

/** What is wrong with a new password, as a sentence; `null` when nothing is. */
export const passwordIssue = async (password: string): Promise<string | null> =>
  passwordLengthIssue(password) ?? commonPasswordIssue(password);

/** Whether a password is just the alias, however it is written. */
export const isSameAsAlias = (password: string, alias: string): boolean => isSameAlias(password, alias);
