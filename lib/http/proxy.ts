/** Requests through a proxy of the operator's own, such as CloudFront (docs/decisions/0083-proxy.md). */
import { timingSafeEqual } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { DomainError } from "../domain/domainError.ts";
import { env } from "../runtime/env.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { RawBody } from "./requestBody.ts";

/** The header by which the proxy proves that a request passed it. */
export const PROXY_HEADER = "x-proxy-secret";

/**
 * The header with the client's address and port, which CloudFront sets and does not accept from clients.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html
 */
const VIEWER_HEADER = "cloudfront-viewer-address";

/**
 * Returns the address of the client: the one that the gateway saw, or with a proxy the one that the proxy saw.
 * @param headers by name in lower case
 * @throws DomainError `not_found` for a request that did not pass the proxy, if there is one
 */
export const sourceAddress = (
  event: APIGatewayProxyEventV2,
  headers: RawBody["headers"],
): string | undefined => {
  const hash = env().PROXY_SECRET_HASH;
  // A test event in the Lambda console may have no request context.
  if (hash === undefined) return event.requestContext?.http?.sourceIp;
  const given = sha256(headers[PROXY_HEADER] ?? "");
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(hash))) {
    throw new DomainError("not_found", "This address is not for clients. Use the address of the service.");
  }
  // An IPv6 address has colons too, and no brackets.
  return headers[VIEWER_HEADER]?.replace(/:\d+$/, "");
};

const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i;

/**
 * The origin that the client has opened; empty if it is unknown, as with a proxy of the operator's own, which sends another
 * host. The gateway accepts only hosts of the service, and says how it was reached.
 */
export const publicOrigin = ({ host = "", ...headers }: RawBody["headers"]): string => {
  if (env().PROXY_SECRET_HASH !== undefined || !HOST.test(host)) return "";
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${host}`;
};
