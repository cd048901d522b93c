/** Interprets responses of push services: the result for a message, and when to retry. */
import { DAY, SECOND } from "../domain/time.ts";

/** The result of a message. */
export type ResponseKind = "sent" | "expired" | "failed" | "retry";

const EXPIRED = [404, 410];
const TOO_MANY = 429;

/** Whether the service itself has failed. */
export const isServerError = (status: number): boolean => status >= 500;

export const classifyResponse = (status: number): ResponseKind => {
  if (EXPIRED.includes(status)) return "expired";
  if (status === TOO_MANY || isServerError(status)) return "retry";
  return status >= 200 && status < 300 ? "sent" : "failed";
};

/**
 * Whether a message may have been signed with a different key than the one the browser subscribed with: Google and Apple
 * respond with 403, Mozilla with 401.
 */
export const isKeyMismatch = (status: number): boolean => status === 401 || status === 403;

/** Limits huge values of `Retry-After`. */
const MAX_WAIT_MS = 10 * 365 * DAY;

const HTTP_DATE = /^[A-Z][a-z]+, [\w :-]+ GMT$/;

/**
 * Parses a `Retry-After` header: seconds or an HTTP date.
 * @returns milliseconds from now; 0 if it is invalid or in the past
 * @param now milliseconds since 1970
 */
export const parseRetryAfter = (retryAfter: string | undefined, now: number): number => {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, MAX_WAIT_MS);
  const until = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(until) ? 0 : Math.min(Math.max(until - now, 0), MAX_WAIT_MS);
};
