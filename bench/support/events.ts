/** Requests as the events that API Gateway passes to a function. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";

const HOST = "bench.example.org";
/** An address that is reserved for documentation (RFC 5737). The service limits its rate like any other. */
const ADDRESS = "198.51.100.7";

export interface RequestOptions {
  /** The caller. */
  as?: { id: string; token: string };
  body?: unknown;
  query?: Record<string, string>;
  /** The `Idempotency-Key`. */
  key?: string;
  /** The caller's address. */
  from?: string;
}

export interface Request extends RequestOptions {
  /** The route as in functions.yml, such as `GET /player/{url_id}`. */
  route: string;
}

/** The method, path and headers that a request has over HTTP. */
export const httpOf = ({ route, as, body, key }: Request) => {
  const [method = "", pattern = ""] = route.split(" ");
  const headers = {
    ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  return { method, path: pattern.replace("{url_id}", as?.id ?? ""), headers };
};

export const eventOf = (request: Request): APIGatewayProxyEventV2 => {
  const { route, as, body, query, from = ADDRESS } = request;
  const { method, path, headers } = httpOf(request);
  return {
    version: "2.0",
    routeKey: route,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: {
      accept: "*/*",
      host: HOST,
      "user-agent": "bench",
      "x-forwarded-for": from,
      ...headers,
    },
    ...(query === undefined ? {} : { queryStringParameters: query }),
    ...(as !== undefined && route.endsWith("{url_id}") ? { pathParameters: { url_id: as.id } } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      accountId: "000000000000",
      apiId: "bench",
      domainName: HOST,
      domainPrefix: "bench",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: from, userAgent: "bench" },
      requestId: randomUUID(),
      routeKey: route,
      stage: "$default",
      time: "21/Nov/2026:07:24:00 +0000",
      timeEpoch: Date.now(),
    },
  };
};
