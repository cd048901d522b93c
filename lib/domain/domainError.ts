/** Domain errors: why requests are rejected. errorMeanings.ts says what each code means (docs/api.md, "Errors"). */
import { asSentence, type ValidationIssue } from "./validation.ts";

export const ERROR_CODES = [
  "invalid_request",
  "not_administrator",
  "bad_credentials",
  "token_rejected",
  "banned",
  "player_not_found",
  "not_found",
  "unknown_tag_code",
  "code_not_valid",
  "no_picture",
  "wrong_state",
  "already_tagged",
  "code_replaced",
  "alias_taken",
  "email_taken",
  "registration_closed",
  "ask_game_master",
  "last_administrator",
  "already_set_up",
  "no_checkpoint",
  "checkpoint_changed",
  "changed_meanwhile",
  "closed",
  "paused",
  "not_running",
  "too_early",
  "already_sent",
  "too_few_volunteers",
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
  /** Seconds after which a retry may succeed. */
  retryAfter?: number;
  /** All issues of a request, for `invalid_request`. */
  issues?: ValidationIssue[];
  /** The underlying error, for the log only. */
  cause?: unknown;
}

/** The rejection of a request. Other errors give 500 `internal`, except DatabaseBusy (503) and {@link Fault}. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** A sentence for the person who sent the request. */
  readonly detail: string;
  readonly retryAfter: number | undefined;
  readonly issues: ValidationIssue[];

  constructor(code: ErrorCode, detail: string, extras: Extras = {}) {
    super(`${code}: ${detail}`, { cause: extras.cause });
    this.name = "DomainError";
    this.code = code;
    this.detail = detail;
    this.retryAfter = extras.retryAfter;
    this.issues = extras.issues ?? [];
  }
}

/** The domain error `invalid_request` for an invalid body, query or header, with all issues. */
export const invalidRequest = (...found: ValidationIssue[]): DomainError => {
  const issues = found.map(asSentence);
  return new DomainError("invalid_request", issues.map(({ message }) => message).join(" "), { issues });
};

export const playerNotFound = (): DomainError => new DomainError("player_not_found", "Player not found");

/** A fault of the service, or of what it needs, whose message the caller is told; its cause is logged. */
export class Fault extends Error {
  override readonly name = "Fault";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * Runs `work` and explains its unexpected errors.
 * @throws Fault with this message, for `unavailable` and every error that is neither a domain error nor a fault
 */
export const orFault = async <T>(message: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const isExplained =
      error instanceof Fault || (error instanceof DomainError && error.code !== "unavailable");
    throw isExplained ? error : new Fault(message, error);
  }
};
