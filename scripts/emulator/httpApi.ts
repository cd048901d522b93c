/**
 * The HTTP API in front of the packaged functions: passes requests on as events of payload 2.0, by the routes of the
 * template (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import * as z from "zod/mini";
import { HOST } from "../cli/ports.ts";
import { gatewayEvent } from "../local/inProcess.ts";
import { functionName } from "../local/service.ts";
import { type Lambda, resultOf } from "./lambda.ts";
import type { Route } from "./packages.ts";

const Response = z.object({
  statusCode: z.int(),
  headers: z._default(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), {}),
  cookies: z._default(z.array(z.string()), []),
  body: z._default(z.string(), ""),
  isBase64Encoded: z._default(z.boolean(), false),
});

/** The bodies that the gateway passes on as text; others are in base64. */
const IS_TEXT = /^(text\/|application\/(json|javascript|xml|x-www-form-urlencoded|[\w.-]+\+(json|xml)))/;

/** A route as a pattern. A variable is one segment, and one with a plus all that follow. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace(/\{\w+\+\}$/, ".+")
      .replaceAll(/\{\w+\}/g, "[^/]+")}$`,
  );

/** Orders routes: without a variable, with some, and with one of many segments. */
const rankOf = ({ key }: Route): number => (key.includes("+}") ? 2 : key.includes("}") ? 1 : 0);

/** Returns the route of a request. A route without variables precedes the others, as at API Gateway. */
const routeFinder = (routes: readonly Route[]): ((method: string, path: string) => Route | undefined) => {
  const patterns = routes
    .map((route) => ({ route, pattern: patternOf(route.key.replace(/^\w+ /, "")) }))
    .toSorted((one, other) => rankOf(one.route) - rankOf(other.route));
  return (method, path) =>
    patterns.find(({ route, pattern }) => route.key.startsWith(`${method} `) && pattern.test(path))?.route;
};
const sendJson = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message }));
};

const listenOn = async (server: ReturnType<typeof createServer>, place: number | string): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (typeof place === "number") server.listen(place, HOST, resolve);
    else server.listen(place, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

export interface HttpApi {
  readonly base: string;
  close(): void;
}

const serve = async (
  lambda: Lambda,
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", `http://${HOST}`);
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(",")]),
  );
  // Several values of a parameter are joined.
  const query = Object.fromEntries(
    [...searchParams.keys()].map((name) => [name, searchParams.getAll(name).join(",")]),
  );
  const isText = IS_TEXT.test(headers["content-type"] ?? "");
  const event = gatewayEvent({
    ...{ route: route.key, path: pathname, headers, query },
    ...(body.length === 0 ? {} : { body: isText ? body.toString() : body }),
    address: request.socket.remoteAddress ?? HOST,
  });
  const outcome = await lambda.invoke(route.name, event);
  if ("error" in outcome) {
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-lambda.html
    if (outcome.error.errorType === "RequestTooLarge") sendJson(response, 413, "Request Entity Too Large");
    else if (outcome.error.errorType === "Sandbox.Timedout") sendJson(response, 503, "Service Unavailable");
    else sendJson(response, 500, "Internal Server Error");
    return;
  }
  const answer = Response.parse(resultOf(outcome));
  response.writeHead(answer.statusCode, {
    ...Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    ...(answer.cookies.length > 0 ? { "set-cookie": answer.cookies } : {}),
  });
  response.end(Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8"));
};

/** Serves the HTTP API at a free port of this machine. */
export const startHttpApi = async (lambda: Lambda, routes: readonly Route[]): Promise<HttpApi> => {
  const find = routeFinder(routes);
  const server = createServer((request, response) => {
    const route = find(request.method ?? "", new URL(request.url ?? "/", `http://${HOST}`).pathname);
    if (route === undefined) {
      sendJson(response, 404, "Not Found");
      return;
    }
    serve(lambda, route, request, response).catch((error: unknown) => {
      console.error(`${route.key}:`, error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, "Internal Server Error");
    });
  });
  const port = await listenOn(server, 0);
  return {
    base: `http://${HOST}:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Serves Lambda's `Invoke` at a Unix socket, where the pollers of queue and stream call it (scripts/local/workers.ts). */
export const startInvokeApi = async (
  lambda: Lambda,
  names: readonly string[],
  socket: string,
): Promise<{ close(): void }> => {
  const server = createServer((request, response) => {
    const [, wanted] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(request.url ?? "") ?? [];
    const name = names.find((one) => functionName(one) === wanted);
    if (name === undefined) {
      sendJson(response, 404, `Function not found: ${wanted}`);
      return;
    }
    const answer = async (): Promise<void> => {
      const outcome = await lambda.invoke(name, JSON.parse((await buffer(request)).toString()));
      if ("result" in outcome) response.writeHead(200).end(outcome.result);
      else
        response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end(JSON.stringify(outcome.error));
    };
    answer().catch((error: unknown) => sendJson(response, 500, String(error)));
  });
  await listenOn(server, socket);
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
