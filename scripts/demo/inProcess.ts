/** Calls the endpoints in this process, at any time of the game's past. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Handler } from "../../lib/http/definition.ts";
import type { Services } from "../../lib/lambda/services.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";

/** Sends a request like `fetch`, from the given client address. */
export type Send = (address: string) => (url: string, request: RequestInit) => Promise<Response>;

interface Route {
  name: string;
  method: string;
  pattern: RegExp;
  parameter: string | undefined;
  handler: Handler;
}

const loadRoutes = async (): Promise<Route[]> => {
  const listed = listedFunctions().filter(({ route, isPage }) => route !== undefined && !isPage);
  return Promise.all(
    listed.map(async ({ file, route = "" }) => {
      const { handler }: { handler: Handler } = await import(join(ROOT, file));
      const [method = "", path = ""] = route.split(" ");
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/, "([^/]+)")}$`);
      return { name: route, method, pattern, parameter: /\{(\w+)\}/.exec(path)?.[1], handler };
    }),
  );
};

const contextOf = (requestId: string): Context => ({
  awsRequestId: requestId,
  getRemainingTimeInMillis: () => 20_000,
  callbackWaitsForEmptyEventLoop: false,
  functionName: "demo",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:local:000000000000:function:demo",
  memoryLimitInMB: "512",
  logGroupName: "demo",
  logStreamName: "demo",
  done: () => {},
  fail: () => {},
  succeed: () => {},
});

/** The event of API Gateway for a request. */
const eventOf = (
  { name, method, parameter }: Route,
  { pathname, searchParams }: URL,
  request: RequestInit,
  address: string,
): APIGatewayProxyEventV2 => {
  const requestId = randomUUID();
  const value = decodeURIComponent(pathname.split("/").at(-1) ?? "");
  return {
    version: "2.0",
    routeKey: name,
    rawPath: pathname,
    rawQueryString: searchParams.toString(),
    headers: Object.fromEntries(new Headers(request.headers)),
    ...(searchParams.size > 0 ? { queryStringParameters: Object.fromEntries(searchParams) } : {}),
    ...(parameter === undefined ? {} : { pathParameters: { [parameter]: value } }),
    ...(typeof request.body === "string" ? { body: request.body } : {}),
    isBase64Encoded: false,
    requestContext: {
      ...{ accountId: "000000000000", apiId: "demo", domainName: "demo", domainPrefix: "demo" },
      ...{ requestId, routeKey: name, stage: "$default", time: "", timeEpoch: Date.now() },
      http: { method, path: pathname, protocol: "HTTP/1.1", sourceIp: address, userAgent: "demo" },
    },
  };
};

/** Returns a `fetch` of the endpoints in this process. @param services with the clock of the past */
export const inProcess = async (services: Services): Promise<Send> => {
  const routes = await loadRoutes();
  return (address) => async (given, request) => {
    const url = new URL(given);
    const route = routes.find(
      ({ method, pattern }) => method === request.method && pattern.test(url.pathname),
    );
    if (route === undefined) throw new Error(`There is no endpoint ${request.method} ${url.pathname}.`);
    const event = eventOf(route, url, request, address);
    const response = await route.handler.on(services)(event, contextOf(event.requestContext.requestId));
    const headers = Object.entries(response.headers ?? {}).map(([key, value]): [string, string] => [
      key,
      String(value),
    ]);
    const body = response.statusCode === 204 ? null : (response.body ?? "");
    return new Response(body, { status: response.statusCode, headers });
  };
};
