/**
 * The session cookie of browsers, and the token that a request presents: in its `Authorization` header, or in the cookie
 * if a page of the service's own origin sent it (docs/decisions/0045-session-cookie.md, 0093-plain-cookie.md).
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { parseToken, readToken, type Token } from "../auth/token.ts";
import { SECOND } from "../domain/time.ts";
import type { RawBody } from "./requestBody.ts";
import type { HttpResponse } from "./responses.ts";

// Browsers accept this prefix only from a secure origin, for this host alone and all of its paths (RFC 6265bis).
const SECURE = { name: "__Host-session", attributes: "Path=/; Secure; HttpOnly; SameSite=Strict" };

// Safari accepts no `Secure` cookie over plain HTTP, not even from this machine. The ports of a host share their cookies, so
// the name is one that other programs there do not use.
const PLAIN = { name: "zombie-session", attributes: "Path=/; HttpOnly; SameSite=Strict" };

/** A page of one of these hosts may use the cookie without TLS: browsers treat this machine as secure. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

const HTTP = "http://";

/** API Gateway and proxies add at least one of these headers. Browsers do not, and no page can set the last one. */
const FORWARDED = ["x-forwarded-proto", "x-forwarded-for", "x-forwarded-host", "forwarded", "via"];

/** How a request presents its session. */
export interface Presented {
  /** `null` if there is none, or if it is malformed. */
  token: Token | null;
  /** Whether a page of the service's origin sent the request, according to the browser; `null` if unknown. */
  isSameOrigin: boolean | null;
  /** Whether the request has the cookie and comes from the same origin. */
  hasCookie: boolean;
  /**
   * Whether a page of this machine sent the request, without TLS and without a proxy; `null` if the request does not name
   * its page, as a GET. Such a proxy may add no header and change the host, but it leaves `Origin` as it is.
   */
  isPlain: boolean | null;
}

/** No page can set `Sec-Fetch-Site` or `Origin`. The first is exact, also behind a proxy that changes the host. */
const isSameOrigin = (headers: RawBody["headers"]): boolean | null => {
  const { "sec-fetch-site": site, origin, host = "" } = headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return null;
  return origin === `https://${host}` || (LOOPBACK.test(host) && origin === `http://${host}`);
};

const isPlainLoopback = (headers: RawBody["headers"]): boolean | null => {
  const { host = "", origin } = headers;
  if (!LOOPBACK.test(host) || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  if (origin === undefined) return null;
  return origin.startsWith(HTTP) && LOOPBACK.test(origin.slice(HTTP.length));
};

/** The values of a cookie. API Gateway passes cookies on separately, the local gateway in a header. */
const cookieValues = (
  event: Partial<APIGatewayProxyEventV2>,
  headers: RawBody["headers"],
  name: string,
): string[] =>
  (event.cookies ?? [headers.cookie ?? ""])
    .flatMap((cookies) => cookies.split(";"))
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(`${name}=`) ? [cookie.slice(name.length + 1)] : []));

/** Reads the token of a request. An `Authorization` header wins over the cookie, whatever it contains. */
export const readPresented = (
  event: Partial<APIGatewayProxyEventV2>,
  headers: RawBody["headers"],
): Presented => {
  const sameOrigin = isSameOrigin(headers);
  const isPlain = isPlainLoopback(headers);
  const secure = sameOrigin === true ? cookieValues(event, headers, SECURE.name) : [];
  const plain = sameOrigin === true && isPlain !== false ? cookieValues(event, headers, PLAIN.name) : [];
  // No page without TLS can have set the first.
  const [cookie, ...others] = secure.length > 0 ? secure : plain;
  const hasCookie = cookie !== undefined;
  const { authorization } = headers;
  const token =
    authorization !== undefined
      ? readToken(authorization)
      : hasCookie && others.length === 0
        ? parseToken(cookie)
        : null;
  return { token, isSameOrigin: sameOrigin, hasCookie, isPlain };
};

type Kind = typeof SECURE;

const setCookie = ({ name, attributes }: Kind, token: string, ageMs: number): string =>
  `${name}=${token}; Max-Age=${Math.floor(ageMs / SECOND)}; ${attributes}`;

const clearCookie = (kind: Kind): string => setCookie(kind, "", 0);

/** Adds the session cookie to a response. @param lifetimeMs of the session */
export const withSessionCookie = (
  response: HttpResponse,
  { isPlain }: Presented,
  token: string,
  lifetimeMs: number,
): HttpResponse => ({
  ...response,
  cookies:
    isPlain === true
      ? // The other one would win: of an earlier version, or of another port with TLS.
        [setCookie(PLAIN, token, lifetimeMs), clearCookie(SECURE)]
      : [setCookie(SECURE, token, lifetimeMs)],
});

/** Makes the browser forget the session cookie. */
export const withoutSessionCookie = (response: HttpResponse, { isPlain }: Presented): HttpResponse => ({
  ...response,
  cookies: (isPlain === false ? [SECURE] : [SECURE, PLAIN]).map(clearCookie),
});
