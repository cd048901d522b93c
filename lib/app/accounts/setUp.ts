/**
 * The set-up secret, with which whoever has started or deployed the service becomes its first game master. It is valid until
 * there is one, and is in the table as a hash alone.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { type ClientAddress, rateLimiter } from "../../auth/rateLimit.ts";
import type { Throttles } from "../../domain/backoff.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Write } from "../../dynamodb/database.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { parseSetUp } from "../../store/accounts/accountItems.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import type { Entered } from "./newAccount.ts";
import { newAdministrator } from "./newAdministrator.ts";
import type { NewPlayer, RegistrationCall } from "./registrationCall.ts";

const BYTES = 16;

/**
 * Makes a secret in place of an earlier one. The latest counts, so that the address that was printed last works.
 * @returns `null` if there is a game master
 */
export const makeSetUpSecret = async (store: Store): Promise<string | null> => {
  const { ids } = await store.administrators();
  if (ids.length > 0) return null;
  const secret = randomBytes(BYTES).toString("base64url");
  await store.db.put({ ...keys.setUp, hash: sha256(secret) });
  return secret;
};

/**
 * Checks a set-up secret under the limit of failed logins of its address.
 * @returns the write that uses it up. Of two concurrent requests only one succeeds
 * @throws DomainError `already_set_up`, `bad_credentials`, `too_many_attempts`
 */
const redeemSetUpSecret = (
  services: { store: Store; throttles: Throttles },
  given: string,
  clientAddress: ClientAddress,
  now: number,
): Promise<Write> =>
  rateLimiter(services, clientAddress, now, async ({ check, start }) => {
    const { store } = services;
    const [blocked, { ids }, item] = await Promise.all([
      check(),
      store.administrators(),
      store.db.get(keys.setUp),
    ]);
    if (ids.length > 0)
      throw new DomainError("already_set_up", "There is a game master already: log in, or ask them.");
    if (blocked !== null) throw blocked;
    start({ isOnlyLimit: true });
    const hash = item === undefined ? "" : parseSetUp(item).hash;
    const digest = Buffer.from(sha256(given));
    const isRight = hash.length === digest.length && timingSafeEqual(digest, Buffer.from(hash));
    if (!isRight) throw new DomainError("bad_credentials", "This set-up address is not the latest one.");
    return { remove: keys.setUp, expect: { is: { hash } } };
  });

/** What a set-up secret is worth. */
export const SET_UP_STATES = ["valid", "used", "wrong"] as const;

/**
 * Tells whether a set-up secret can be redeemed, under the same limit as redeeming it.
 * @returns `used` if there is a game master
 * @throws DomainError `too_many_attempts`
 */
export const checkSetUpSecret = async (
  services: { store: Store; throttles: Throttles },
  given: string,
  clientAddress: ClientAddress,
  now: number,
): Promise<(typeof SET_UP_STATES)[number]> => {
  try {
    await redeemSetUpSecret(services, given, clientAddress, now);
    return "valid";
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === "already_set_up") return "used";
    if (error.code === "bad_credentials") return "wrong";
    throw error;
  }
};

/**
 * Makes the account of the first game master, who does not play.
 * @param hashed hashes the password
 * @throws DomainError `already_set_up`, `bad_credentials`, `too_many_attempts`
 */
export const enterFirst = async (
  { services, clientAddress, context, now }: RegistrationCall,
  wanted: NewPlayer,
  secret: string,
  game: Game,
  hashed: () => Promise<string>,
): Promise<Entered> => {
  const used = await redeemSetUpSecret(services, secret, clientAddress, now);
  const newcomer = { ...wanted, hash: await hashed() };
  return {
    account: await newAdministrator(services.store, game, newcomer, context, "spectator"),
    codeWrites: [used],
  };
};
