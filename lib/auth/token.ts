/** Session tokens: `hvz1.<player id>.<256 random bits>`. Only their SHA-256 is ever stored. */
import { randomBytes } from "node:crypto";
import { sha256 } from "../runtime/sha256.ts";

const TOKEN = /^hvz1\.([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.[\w-]{43}$/;

export interface Token {
  playerId: string;
  /** The form in which the token is stored. */
  hash: string;
}

/** Makes a token for a player, and the hash to store. */
export const makeToken = (playerId: string): Token & { token: string } => {
  const token = `hvz1.${playerId}.${randomBytes(32).toString("base64url")}`;
  return { token, playerId, hash: sha256(token) };
};

/** Parses a token; `null` when it is malformed. */
export const parseToken = (token: string): Token | null => {
  const playerId = TOKEN.exec(token)?.[1];
  return playerId === undefined ? null : { playerId, hash: sha256(token) };
};

/**
 * Parses the token of an `Authorization` header (RFC 6750, section 2.1).
 * @returns `null` when there is none or more than one, or when it is malformed
 */
export const readToken = (authorization: string | undefined): Token | null => {
  if (authorization === undefined || authorization.includes(",")) return null;
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return token === undefined ? null : parseToken(token);
};
