/** Join codes, which a registration may require: those of the game, or the deployment's. */
import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import { invalidRequest } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game.ts";
import { needsJoinCode } from "../../domain/registration.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { findJoinCode, foldJoinCode, type JoinCode, usesLeft, useWrites } from "../../store/joinCodes.ts";

const WithJoinCode = z.object({ join_code: z.string() });

const givenIn = (body: unknown): string | undefined => WithJoinCode.safeParse(body).data?.join_code;

/** Whether a body contains a join code, which may be a guess. */
export const isJoinCodeAttempt = (body: unknown): boolean => givenIn(body) !== undefined;

type CodeServices = Pick<Services, "store" | "joinCode">;

const digest = (text: string): Buffer => createHash("sha256").update(foldJoinCode(text)).digest();

const issue = (message: string): ValidationIssue => ({ path: "join_code", message });

/** The join code of a registration, or the message of an issue. The deployment's own code does not expire. */
const checkJoinCode = async (
  { store, joinCode }: CodeServices,
  { settings }: Game,
  given: string | undefined,
): Promise<JoinCode | string> => {
  if (given === undefined) return "is needed to join this game";
  const wrong = "is not one of this game";
  if (settings.needs_join_code !== null) {
    return (await mapBusyToUnavailable(findJoinCode(store.db, given))) ?? wrong;
  }
  return timingSafeEqual(digest(given), digest(joinCode))
    ? { code: joinCode, uses: null, used: 0, ends_at: null }
    : wrong;
};

/**
 * Checks whether the join code in a body is missing or unknown. Whether it has expired or is used up is checked when it
 * is used, because a repeated registration has used it already.
 */
export const joinCodeIssues = async (services: CodeServices, body: unknown): Promise<ValidationIssue[]> => {
  const given = givenIn(body);
  // Saves a read of the game: if a code is required after all, the registration itself rejects the request.
  if (given === undefined && services.joinCode === "") return [];
  const game = await mapBusyToUnavailable(services.store.game({ consistent: false }));
  if (!needsJoinCode(game, services.joinCode)) return [];
  const found = await checkJoinCode(services, game, given);
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
  if (!needsJoinCode(game, services.joinCode)) return [];
  const found = await checkJoinCode(services, game, given);
  if (typeof found === "string") throw invalidRequest(issue(found));
  if (found.ends_at !== null && now >= found.ends_at) throw invalidRequest(issue("is not valid any more"));
  if (usesLeft(found) === 0) throw invalidRequest(issue("has been used up"));
  return useWrites(found);
};
