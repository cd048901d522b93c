/** What the game, or the door to it, forbids: one class, one closed list of codes (contract, "Errors"). */
import { asSentence, type ValidationIssue } from "./validation.ts";

export const ERROR_CODES = [
  "invalid_request",
  "not_administrator",
  "bad_credentials",
  "token_rejected",
  "player_not_found",
  "not_found",
  "unknown_tag_code",
  "no_picture",
  "wrong_state",
  "already_tagged",
  "alias_taken",
  "last_administrator",
  "no_checkpoint",
  "checkpoint_changed",
  "closed",
  "paused",
  "too_early",
  "busy",
  "in_progress",
  "too_large",
  "unsupported_media_type",
  "key_reused",
  "too_many_attempts",
  "unavailable",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

interface Extras {
  /** Whole seconds after which another try may succeed. */
  retryAfter?: number;
  /** Every fault of a request, for `invalid_request`. */
  faults?: ValidationIssue[];
  /** What led to it, for the log alone. */
  cause?: unknown;
}

/**
 * A refusal: the request was understood and is not carried out. Anything else that is thrown is a fault of
 * the service.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** A sentence for the person who asked. */
  readonly detail: string;
  readonly retryAfter: number | undefined;
  readonly issues: ValidationIssue[];

  constructor(code: ErrorCode, detail: string, extras: Extras = {}) {
    super(`${code}: ${detail}`, { cause: extras.cause });
    this.name = "DomainError";
    this.code = code;
    this.detail = detail;
    this.retryAfter = extras.retryAfter;
    this.issues = extras.faults ?? [];
  }
}

/**
 * A request whose body, query or header is wrong.
 * @returns the refusal `invalid_request` that names every fault
 */
export const invalid = (...found: ValidationIssue[]): DomainError => {
  const faults = found.map(asSentence);
  return new DomainError("invalid_request", faults.map(({ message }) => message).join(" "), { faults });
};

export const playerNotFound = (): DomainError => new DomainError("player_not_found", "Player not found");
