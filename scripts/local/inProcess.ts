/** Calls the endpoints in this process, as API Gateway and Lambda do. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Handler } from "../../lib/http/definition.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";

/** The handler of an endpoint, from its file. */
export const loadHandler = async (file: string): Promise<Handler> => {
  const module: { handler: Handler } = await import(join(ROOT, file));
  return module.handler;
};

/** The handler of every endpoint of the API, by its route. */
export const loadEndpoints = async (): Promise<Map<string, Handler>> => {
  const endpoints = new Map<string, Handler>();
  for (const { file, route, isPage } of listedFunctions()) {
    if (route !== undefined && !isPage) endpoints.set(route, await loadHandler(file));
  }
  return endpoints;
};

/** A Lambda context as far as the handlers use one. @param timeLeft the milliseconds that are left */
export const lambdaContext = (timeLeft = () => 20_000): Context => ({
  awsRequestId: randomUUID(),
  getRemainingTimeInMillis: timeLeft,
  callbackWaitsForEmptyEventLoop: false,
  functionName: "local",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:local:000000000000:function:local",
  memoryLimitInMB: "512",
  logGroupName: "local",
  logStreamName: "local",
  done: () => {},
  fail: () => {},
  succeed: () => {},
});

export interface HttpRequest {
  /** The route as in functions.yml, such as `GET /player/{url_id}`. */
  route: string;
  path: string;
  headers: Record<string, string>;
  query?: Record<string, string>;
  body?: string | Buffer | undefined;
  /** The client's address. */
  address: string;
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export const gatewayEvent = (request: HttpRequest): APIGatewayProxyEventV2 => {
  const { route, path, query = {}, body, address } = request;
  const [method = "", pattern = ""] = route.split(" ");
  const [, parameter] = /\{(\w+)\+?\}$/.exec(pattern) ?? [];
  // A parameter with a plus has all segments that follow.
  const value = path
    .split("/")
    .slice(pattern.split("/").length - 1)
    .join("/");
  // API Gateway passes cookies on separately, in both directions.
  const { cookie, ...headers } = lowerCased(request.headers);
  return {
    version: "2.0",
    routeKey: route,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers,
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    ...(Object.keys(query).length > 0 ? { queryStringParameters: query } : {}),
    ...(parameter === undefined ? {} : { pathParameters: { [parameter]: decodeURIComponent(value) } }),
    isBase64Encoded: Buffer.isBuffer(body),
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body.toString("base64") : body }),
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: "local",
      domainPrefix: "local",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: address, userAgent: "local" },
      requestId: randomUUID(),
      routeKey: route,
      stage: "$default",
      time: "",
      timeEpoch: Date.now(),
    },
  };
};
