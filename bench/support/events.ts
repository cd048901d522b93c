/** Requests as the events that API Gateway passes to a function. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { gatewayEvent } from "../../scripts/local/inProcess.ts";

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
  /** The parameter of the path; the caller's id by default. */
  id?: string;
  /** Further headers, by name in lower case. */
  headers?: Record<string, string>;
}

export interface Request extends RequestOptions {
  /** The route as in functions.yml, such as `GET /player/{url_id}`. */
  route: string;
}

/** The method, path and headers that a request has over HTTP. */
export const httpOf = ({ route, as, body, key, id = as?.id, headers: further }: Request) => {
  const [method = "", pattern = ""] = route.split(" ");
  const headers = {
    ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...further,
  };
  return { method, path: pattern.replace(/\{\w+\+?\}$/, id ?? ""), headers };
};

export const eventOf = (request: Request): APIGatewayProxyEventV2 => {
  const { route, body, query = {}, from = ADDRESS } = request;
  const { path, headers } = httpOf(request);
  const usual = { accept: "*/*", host: HOST, "user-agent": "bench", "x-forwarded-for": from };
  return gatewayEvent({
    route,
    path,
    query,
    address: from,
    headers: { ...usual, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
};
