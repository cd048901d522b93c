/**
 * Tokens in mails. A token is the id of its mail and an HMAC of it, so that it can be derived when the mail is sent, and
 * is stored nowhere.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { parse, stringify, validate } from "uuid";
import type { OptionalMail } from "../domain/mail/optionalMails.ts";
import { keysToTry } from "../secrets/rotation.ts";
import type { MailKey } from "../secrets/secrets.ts";
import { timeOfId } from "../store/keys.ts";
import { recoveryLetters } from "./recovery.ts";

/** What a token can be used for. Each purpose has other tokens of the same mail. */
type Purpose = "confirm" | "recover" | `unsubscribe ${OptionalMail}`;

const ID_BYTES = 16;
const TOKEN = /^[\w-]{64}$/;

const macOf = ({ key }: MailKey, purpose: Purpose, id: Uint8Array): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64url")).update(`${purpose} `).update(id).digest();

/** The key with which the tokens of a mail are derived, by when the mail was made. @throws Error without keys */
const keyOf = (keys: readonly MailKey[], mailId: string): MailKey => {
  // Ids of mails have the time at which they were made.
  const [key] = keysToTry(keys, timeOfId(mailId));
  if (key === undefined) throw new Error("there are no keys of tokens in mails");
  return key;
};

const tokenOf = (key: MailKey, purpose: Purpose, id: Uint8Array): string =>
  Buffer.concat([id, macOf(key, purpose, id)]).toString("base64url");

/** The token of a mail. @throws Error without keys */
export const mailToken = (keys: readonly MailKey[], purpose: "confirm", mailId: string): string =>
  tokenOf(keyOf(keys, mailId), purpose, parse(mailId));

/**
 * The token with which mails of a kind to a player are switched off. It is of the player, not of a mail, so it is valid as
 * long as the key. @param now milliseconds since 1970 @throws Error without keys
 */
export const unsubscribeToken = (
  keys: readonly MailKey[],
  kind: OptionalMail,
  playerId: string,
  now: number,
): string => {
  const [key] = keysToTry(keys, now);
  if (key === undefined) throw new Error("there are no keys of tokens in mails");
  return tokenOf(key, `unsubscribe ${kind}`, parse(playerId));
};

/** The id that a token belongs to; `null` if the token is not of this deployment or for another purpose. */
export const idOfToken = (keys: readonly MailKey[], purpose: Purpose, token: string): string | null => {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const [id, mac] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)];
  if (!keys.some((key) => timingSafeEqual(macOf(key, purpose, id), mac))) return null;
  const text = stringify(id);
  return validate(text) ? text : null;
};

const BLOCK_BYTES = 32;

/**
 * The recovery code of a mail: letters that are as random as the key. `/change_password` takes it like a code that a game
 * master has issued. @throws Error without keys
 */
export const mailedRecoveryCode = (keys: readonly MailKey[], mailId: string): string => {
  const key = keyOf(keys, mailId);
  let block = macOf(key, "recover", parse(mailId));
  let at = 0;
  return recoveryLetters(() => {
    if (at === BLOCK_BYTES) {
      block = macOf(key, "recover", block);
      at = 0;
    }
    at += 1;
    return block[at - 1] ?? 0;
  });
};
