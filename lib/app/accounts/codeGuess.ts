/**
 * Tag codes that moderators, and game masters who play, enter at a desk. They may not know codes, so unknown codes are
 * limited as for hunters.
 */
import { tooManyAttempts } from "../../domain/backoff.ts";
import type { DomainError } from "../../domain/domainError.ts";
import { isTagCode } from "../../domain/hunts/tagCode.ts";
import type { Player } from "../../domain/players/player.ts";
import { maySeeSecrets } from "../../domain/players/visibility.ts";
import type { Services } from "../../lambda/services.ts";
import { type RateLimited, returnAllowance, takeAllowance } from "../../store/accounts/rateLimits.ts";

/** An attempt with a tag code. */
export interface CodeGuess {
  /** The error if the code may not be looked up; `null` otherwise. */
  error: DomainError | null;
  /** To be called if somebody has, or had, the code: then the attempt does not count. */
  isKnown: () => Promise<void>;
}

const FREE: CodeGuess = { error: null, isKnown: async () => {} };

/**
 * Counts an attempt with a tag code before the code is looked up, so that concurrent requests cannot exceed the limit.
 * A text that is no tag code, and a game master who may know all codes, are not limited.
 * @param code normalized
 */
export const startCodeGuess = async (
  { store, throttles }: Pick<Services, "store" | "throttles">,
  player: Player,
  code: string,
  now: number,
): Promise<CodeGuess> => {
  if (!isTagCode(code) || maySeeSecrets(player)) return FREE;
  const limit: RateLimited = { limit: "CODES", subject: player.player_id, allowance: throttles.codes };
  // Most desks enter no unknown codes, so the allowance is full, and a single write takes one without reading first.
  const wait = await takeAllowance(store.db, limit, 0, now);
  if (wait > 0)
    return { ...FREE, error: tooManyAttempts(wait, "Too many unknown tag codes. Try again later.") };
  return { error: null, isKnown: () => returnAllowance(store.db, limit, now) };
};
