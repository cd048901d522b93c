/**
 * The session cookie of browsers, and the token that a request presents: in its `Authorization` header, or in the cookie
 * if a page of the service's own origin sent it (docs/decisions/0045-session-cookie.md).
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { parseToken, readToken, type Token } from "../auth/token.ts";
import { SECOND } from "../domain/time.ts";
import type { RawBody } from "./requestBody.ts";
import type { HttpResponse } from "./responses.ts";

// Browsers accept this prefix only from a secure origin, for this host alone and all of its paths (RFC 6265bis).
const NAME = "__Host-session";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** A page of one of these hosts may use the cookie without TLS: browsers treat this machine as secure. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** How a request presents its session. */
export interface Presented {
  /** `null` if there is none, or if it is malformed. */
  token: Token | null;
  /** Whether a page of the service's origin sent the request, according to the browser; `null` if unknown. */
  isSameOrigin: boolean | null;
  /** Whether the request has the cookie and comes from the same origin. */
  hasCookie: boolean;
}

/** No page can set `Sec-Fetch-Site` or `Origin`. The first is exact, also behind a proxy that changes the host. */
const isSameOrigin = (headers: RawBody["headers"]): boolean | null => {
  const { "sec-fetch-site": site, origin, host = "" } = headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return null;
  return origin === `https://${host}` || (LOOPBACK.test(host) && origin === `http://${host}`);
};

/** The values of the cookie. API Gateway passes cookies on separately, the local gateway in a header. */
const cookieValues = (event: Partial<APIGatewayProxyEventV2>, headers: RawBody["headers"]): string[] =>
  (event.cookies ?? [headers.cookie ?? ""])
    .flatMap((cookies) => cookies.split(";"))
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(`${NAME}=`) ? [cookie.slice(NAME.length + 1)] : []));

/** Reads the token of a request. An `Authorization` header wins over the cookie, whatever it contains. */
export const readPresented = (
  event: Partial<APIGatewayProxyEventV2>,
  headers: RawBody["headers"],
): Presented => {
  const sameOrigin = isSameOrigin(headers);
  const [cookie, ...others] = sameOrigin === true ? cookieValues(event, headers) : [];
  const hasCookie = cookie !== undefined;
  const { authorization } = headers;
  const token =
    authorization !== undefined
      ? readToken(authorization)
      : hasCookie && others.length === 0
        ? parseToken(cookie)
        : null;
  return { token, isSameOrigin: sameOrigin, hasCookie };
};

/** Adds the session cookie to a response. @param lifetimeMs of the session */
export const withSessionCookie = (
  response: HttpResponse,
  token: string,
  lifetimeMs: number,
): HttpResponse => ({
  ...response,
  cookies: [`${NAME}=${token}; Max-Age=${Math.floor(lifetimeMs / SECOND)}; ${ATTRIBUTES}`],
});

/** Makes the browser forget the session cookie. */
export const withoutSessionCookie = (response: HttpResponse): HttpResponse => ({
  ...response,
  cookies: [`${NAME}=; Max-Age=0; ${ATTRIBUTES}`],
});
