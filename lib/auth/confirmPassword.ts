/** Asks somebody who has a session for their password again, before what cannot be undone. */
import type { Player } from "../domain/players/player.ts";
import type { Write } from "../dynamodb/database.ts";
import { successWrite } from "./credentials.ts";
import { attemptLogin, type LoginAttempt, type LoginServices, passwordChecker } from "./loginAttempts.ts";

/**
 * Checks a player's password under the limits of a login. It opens no session.
 * @param at.isRetry whether the caller's transaction with the write has failed: then a replica may lag, and is not read
 * @returns the write that belongs to the transaction of what was asked for; its condition serializes concurrent guesses
 * @param timeLeft milliseconds until the caller must respond
 * @throws DomainError `bad_credentials`, `too_many_attempts`, `unavailable`
 */
export const confirmPassword = (
  services: LoginServices,
  { alias }: Pick<Player, "alias">,
  password: string,
  { clientAddress, now, isRetry }: Pick<LoginAttempt, "clientAddress" | "now"> & { isRetry: boolean },
  timeLeft: () => number,
): Promise<Write> => {
  const check = passwordChecker(password, services.cost);
  return attemptLogin(services, { alias, clientAddress, now }, (checkAttempt) =>
    services.store.apply(
      (isRetryOfFailure) =>
        checkAttempt(
          isRetry || isRetryOfFailure,
          () => {},
          async (context) => {
            const { credential } = await check(context);
            const used = successWrite(context.id, credential, { clientAddress, now }, services.throttles);
            return { changes: {}, result: used };
          },
        ),
      { timeLeft, now },
    ),
  );
};
