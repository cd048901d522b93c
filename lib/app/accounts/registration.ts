/** Registers players. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import { openFirstSession } from "../../auth/login.ts";
import type { departureChecker } from "../../auth/loginAttempts.ts";
import { hashPassword } from "../../auth/password.ts";
import { requireRegistration } from "../../domain/accounts/registration.ts";
import { mustWait, type ReviewReason } from "../../domain/accounts/review.ts";
import { DomainError, type ErrorCode } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { PlayerIn } from "../../domain/players/player.ts";
import { awaitApproval, enterSigned } from "../../domain/waiver/waiver.ts";
import { type CommandResponse, registrationWrite } from "../../store/idempotency.ts";
import { showPlayer } from "../lookups.ts";
import type { NewcomerSignature } from "../waiver/sign.ts";
import { redeemJoinCode } from "./joinCode.ts";
import { type Entered, newAccount, reviewed, waiting } from "./newAccount.ts";
import { loginEntry, type NewPlayer, type RegistrationCall } from "./registrationCall.ts";
import { hasDepartures } from "./review.ts";

/** The errors of a repeated registration after which the account of the first one is looked up. */
const REFUSALS: readonly ErrorCode[] = [
  "banned",
  "alias_taken",
  "registration_closed",
  "invalid_request",
  "already_set_up",
  "bad_credentials",
];

/** Sends a link to the address of a newcomer. Imported on demand: most deployments send no mail. */
const sendConfirmation = async (...of: Parameters<typeof import("./confirmation.ts").confirmationWrites>) => {
  const { confirmationWrites } = await import("./confirmation.ts");
  return confirmationWrites(...of);
};

/** How somebody enters who may have left during play. Their password is hashed once for all attempts of the request. */
const returningEntry = (
  { clientAddress, context, now, services }: RegistrationCall,
  { password }: NewPlayer,
) => {
  let check: ReturnType<typeof departureChecker> | undefined;
  return async (newcomer: PlayerIn<"spectator">, review: readonly ReviewReason[], game: Game) => {
    if (!(await hasDepartures(services.store))) return { entrant: null, writes: [] };
    // Imported on demand: no player returns before somebody has left.
    const [{ enterReturning }, { departureChecker }] = await Promise.all([
      import("./returning.ts"),
      import("../../auth/loginAttempts.ts"),
    ]);
    check ??= departureChecker(services, { password, clientAddress, now });
    const claims = review.filter(({ kind }) => kind === "returns");
    const mayRestore = claims.length === review.length;
    return enterReturning(services.store, newcomer, claims, game, context, { check, mayRestore });
  };
};

/** The signature in a registration; `null` if there is none. @throws DomainError as `newcomerSignature` */
const signatureOf = async (
  { clientAddress, now, services }: RegistrationCall,
  { signature }: NewPlayer,
  game: Game,
): Promise<NewcomerSignature | null> => {
  if (signature === undefined) return null;
  // Imported on demand: most games have no waiver.
  const { newcomerSignature } = await import("../waiver/sign.ts");
  return newcomerSignature({ services, now, address: clientAddress.address }, game, signature);
};

/**
 * Registers a player as a human, or as a spectator who waits for admission by a game master. A player who left during
 * play and has the same password comes back as if they had stayed; if they only have the same alias or e-mail address,
 * they wait. With the set-up secret, they are the first game master, who does not play. Opens a session if the request asks
 * for one.
 * @throws DomainError `invalid_request`, `banned`, `alias_taken`, `registration_closed`, `changed_meanwhile`; with the set-up secret
 *   `already_set_up`, `bad_credentials`, `too_many_attempts`; for a repeated request also `key_reused`, `too_many_attempts`
 */
export const registerPlayer = async (call: RegistrationCall, wanted: NewPlayer): Promise<CommandResponse> => {
  const { clientAddress, context, idempotency, now, services } = call;
  const { store, cost, throttles } = services;
  requireOtherThanAlias(wanted.password, wanted.alias);
  let game = await store.game();
  let hash: Promise<string> | undefined;
  const hashed = (): Promise<string> => {
    hash ??= hashPassword(wanted.password, cost);
    return hash;
  };
  const enterReturning = returningEntry(call, wanted);
  const registered = async (): Promise<Entered> => {
    const registration = requireRegistration(game, now);
    const codeWrites = await redeemJoinCode(services, game, wanted.join_code, now);
    const account = await newAccount(services, game, { ...wanted, hash: await hashed() }, context, {
      as: async (newcomer, review) => {
        const signature = await signatureOf(call, wanted, game);
        const { entrant, writes } = await enterReturning(newcomer, review, game);
        if (entrant !== null) return signature?.signedEntrant(entrant) ?? entrant;
        const signed = signature?.signed ?? null;
        const player =
          registration === "approval" || mustWait(review, services.mail !== null)
            ? waiting(awaitApproval(newcomer, signed), review)
            : reviewed(enterSigned(newcomer, game, signed, context), review);
        return { player, writes: [...writes, ...((await signature?.writes(player)) ?? [])] };
      },
    });
    return { account, codeWrites };
  };
  try {
    return await call.decide(async ({ isRetry }) => {
      if (isRetry) game = await store.game();
      const { account, codeWrites } =
        wanted.setup === undefined
          ? await registered()
          : // Imported on demand: this happens once.
            await (await import("./setUp.ts")).enterFirst(call, wanted, wanted.setup, game, hashed);
      const { player, changes, furtherWrites } = account;
      const noted = idempotency ? [registrationWrite(player.player_id, idempotency, now)] : [];
      const shown = await showPlayer(store, player, game, now);
      // Imported on demand, so that rejected registrations do not load it.
      const { rememberOrigin } = await import("../alerts/origin.ts");
      const origin = await rememberOrigin(services, clientAddress, player.player_id, now);
      const confirmation = services.mail === null ? [] : await sendConfirmation(services, player, now);
      const common = [...codeWrites, ...origin, ...noted, ...confirmation];
      if (wanted.login !== true) {
        return {
          changes: { ...changes, writes: [...changes.writes, ...common] },
          result: { player: shown, opened: null },
        };
      }
      const { writes, opened } = openFirstSession(player, await hashed(), { clientAddress, now }, throttles);
      return {
        changes: {
          ...changes,
          writes: [...writes, ...furtherWrites, ...common],
          log: loginEntry(call, player.player_id),
        },
        result: { player: shown, opened },
      };
    });
  } catch (error) {
    const isRefused = error instanceof DomainError && REFUSALS.includes(error.code);
    if (idempotency === undefined || !isRefused) throw error;
    // Imported on demand: few registrations are repeated.
    const { findEarlierRegistration, repeatRegistration } = await import("./repeatRegistration.ts");
    const earlier = await findEarlierRegistration(store, wanted, idempotency, now);
    if (earlier === null) throw error;
    return repeatRegistration(call, wanted, game, earlier, error);
  }
};
