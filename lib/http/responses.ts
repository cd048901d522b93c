/** HTTP responses: results as JSON or bytes, errors as `application/problem+json` (RFC 9457) or plain text. */
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { DomainError, Fault } from "../domain/domainError.ts";
import type { ValidationIssue } from "../domain/validation.ts";
import { DatabaseBusy } from "../dynamodb/errors.ts";
import { unavailable } from "../store/commit.ts";
import { STATUS, TITLE } from "./statuses.ts";

export type HttpResponse = APIGatewayProxyStructuredResultV2 & { statusCode: number };

/** The format of a module's error responses. */
export type ErrorFormat = "problem" | "text";

/** Security headers of every response: no caching, no sniffing, no scripts, no framing, and TLS only. */
export const COMMON_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

/** The challenges that a 401 must have (RFC 9110, section 11.6.1; RFC 6750, section 3). */
const CHALLENGES: Record<string, string> = {
  bad_credentials: 'Bearer realm="zombie-game"',
  not_administrator: 'Bearer realm="zombie-game", error="insufficient_scope"',
};

/** A response with a JSON text, or an empty one. */
export const jsonResponse = (statusCode: number, body: string | null): HttpResponse =>
  body === null
    ? { statusCode, headers: COMMON_HEADERS }
    : { statusCode, headers: { ...COMMON_HEADERS, "content-type": "application/json; charset=utf-8" }, body };

/** A response of bytes, such as a picture. */
export const bytesResponse = (
  bytes: Uint8Array,
  contentType: string,
  headers: Record<string, string> = {},
): HttpResponse => ({
  statusCode: 200,
  headers: { ...COMMON_HEADERS, "content-type": contentType, ...headers },
  body: Buffer.from(bytes).toString("base64"),
  isBase64Encoded: true,
});

/** A redirection to another path of the service, permanent by default. */
export const redirectResponse = (path: string, statusCode: 303 | 308 = 308): HttpResponse => ({
  statusCode,
  headers: { ...COMMON_HEADERS, location: path },
});

/** A player who cannot be looked up, with the status that the API defines for the endpoint. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly status: 403 | 500;

  constructor(status: 403 | 500, cause: unknown) {
    super("The player could not be looked up. Try again shortly.", { cause });
    this.status = status;
  }
}

interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  retryAfter?: number | undefined;
  errors?: ValidationIssue[];
}

// The error is in the log under the request id, never in the response.
const INTERNAL: Problem = {
  status: 500,
  code: "internal",
  title: "Internal error",
  detail: "An unexpected error occurred. It has been logged.",
};

const problemOf = (thrown: unknown): Problem => {
  const error = thrown instanceof DatabaseBusy ? unavailable(thrown) : thrown;
  if (error instanceof LookupError) return { ...INTERNAL, status: error.status, detail: error.message };
  if (error instanceof Fault) return { ...INTERNAL, detail: error.message };
  if (!(error instanceof DomainError)) return INTERNAL;
  const { code, detail, retryAfter, issues } = error;
  return {
    status: STATUS[code],
    code,
    title: TITLE[code],
    detail,
    retryAfter,
    ...(code === "invalid_request"
      ? { errors: issues.map((issue) => ({ ...issue, code: issue.code ?? "invalid" })) }
      : {}),
  };
};

/** The error's code in responses and logs. */
export const errorCode = (error: unknown): string => problemOf(error).code;

/** The response to a request that ended in an error. */
export const errorResponse = (error: unknown, form: ErrorFormat, requestId: string): HttpResponse => {
  const { status, code, title, detail, retryAfter, errors } = problemOf(error);
  const challenge = CHALLENGES[code];
  const headers = {
    ...COMMON_HEADERS,
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
  };
  if (form === "text") {
    return {
      // The notification endpoints never respond with 503 (docs/api.md, "Notifications").
      statusCode: status === 503 ? 500 : status,
      headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
      body: detail,
    };
  }
  const body = {
    type: `urn:zombie-game:problem:${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors }),
  };
  return {
    statusCode: status,
    headers: { ...headers, "content-type": "application/problem+json; charset=utf-8" },
    body: JSON.stringify(body),
  };
};
