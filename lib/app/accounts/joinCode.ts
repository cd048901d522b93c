/** Join codes, which a registration may require. */
import { needsJoinCode } from "../../domain/accounts/registration.ts";
import { invalidRequest } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import { findJoinCode, type JoinCode, usesLeft, useWrites } from "../../store/accounts/joinCodes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";

type CodeServices = Pick<Services, "store" | "joinCodeRequired">;

const issue = (message: string): ValidationIssue => ({ path: "join_code", message });

/** The join code of a registration, or the message of an issue. */
const checkJoinCode = async (
  { store }: CodeServices,
  given: string | undefined,
): Promise<JoinCode | string> => {
  if (given === undefined) return "is needed to join this game";
  return (await mapBusyToUnavailable(findJoinCode(store.db, given))) ?? "is not one of this game";
};

/**
 * Checks whether the join code of a registration is missing or unknown. Whether it has expired or is used up is checked when it
 * is used, because a repeated registration has used it already.
 */
export const joinCodeIssues = async (
  services: CodeServices,
  given: string | undefined,
): Promise<ValidationIssue[]> => {
  // Saves a read of the game: if a code is required after all, the registration itself rejects the request.
  if (given === undefined && !services.joinCodeRequired) return [];
  const game = await mapBusyToUnavailable(services.store.game({ consistent: false }));
  if (!needsJoinCode(game, services.joinCodeRequired)) return [];
  const found = await checkJoinCode(services, given);
  return typeof found === "string" ? [issue(found)] : [];
};

/**
 * The writes that count a use of the join code, if the game requires one.
 * @throws DomainError `invalid_request` if it is missing, unknown, expired or used up
 */
export const redeemJoinCode = async (
  services: CodeServices,
  game: Game,
  given: string | undefined,
  now: number,
): Promise<Write[]> => {
  if (!needsJoinCode(game, services.joinCodeRequired)) return [];
  const found = await checkJoinCode(services, given);
  const refuse = (message: string): never => {
    throw invalidRequest(issue(message));
  };
  if (typeof found === "string") return refuse(found);
  if (found.ends_at !== null && now >= found.ends_at) return refuse("is not valid any more");
  if (usesLeft(found) === 0) return refuse("has been used up");
  return useWrites(found);
};
