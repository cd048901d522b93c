/** What an answer of a push service means for a message: its fate, and when it may be tried again. */
import { DAY, SECOND } from "../domain/time.ts";

/** What became of a message. `retry`: it may be tried again. */
export type ResponseKind = "sent" | "expired" | "failed" | "retry";

const EXPIRED = [404, 410];
const TOO_MANY = 429;

/** Whether a status says that the service itself is in trouble. */
export const isServerError = (status: number): boolean => status >= 500;

export const classifyResponse = (status: number): ResponseKind => {
  if (EXPIRED.includes(status)) return "expired";
  if (status === TOO_MANY || isServerError(status)) return "retry";
  return status >= 200 && status < 300 ? "sent" : "failed";
};

/**
 * Whether a message may have been signed with another key than the one that the browser subscribed with: Google's and
 * Apple's services answer that with 403, Mozilla's with 401.
 */
export const isKeyMismatch = (status: number): boolean => status === 401 || status === 403;

/** Longer than anybody waits, and still a number to count with. */
const MOST_WAIT = 10 * 365 * DAY;

const HTTP_DATE = /^[A-Z][a-z]+,? [\w :-]+ GMT$/;

/**
 * What a `Retry-After` asks for, in milliseconds from now: seconds or a date of HTTP; 0 when it is neither, or past.
 * @param now milliseconds since 1970
 */
export const parseRetryAfter = (retryAfter: string | undefined, now: number): number => {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, MOST_WAIT);
  const until = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(until) ? 0 : Math.min(Math.max(until - now, 0), MOST_WAIT);
};
