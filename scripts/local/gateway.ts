/** Adapts serverless-offline to the behaviour of API Gateway. */
import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { DomainError } from "../../lib/domain/domainError.ts";
import { errorResponse, type HttpResponse } from "../../lib/http/responses.ts";
import { log } from "../../lib/runtime/log.ts";
import { messageOf } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { PACKAGES } from "./installedPackages.ts";
import { type Handler, isHttpRequest } from "./lambdaLimits.ts";

const withRequestId = (reply: HttpResponse, requestId: string): HttpResponse => ({
  ...reply,
  headers: { ...reply.headers, "x-request-id": requestId },
});

const isHead = (event: unknown): event is APIGatewayProxyEventV2 =>
  isHttpRequest(event) && event.requestContext.http.method === "HEAD";

/** Whether an import failed because a package is missing, as during `npm ci`. */
const isMissingPackage = (error: unknown): boolean =>
  messageOf(error).includes(PACKAGES) && messageOf(error).includes("Cannot find");

/** The response for an unknown method and path. */
export const notFound = async (event: APIGatewayProxyEventV2, context: Context): Promise<HttpResponse> => {
  const { method, path } = event.requestContext.http;
  const error = new DomainError(
    "not_found",
    `There is no endpoint ${method} ${path}: docs/api.md lists them.`,
  );
  return withRequestId(errorResponse(error, "problem", context.awsRequestId), context.awsRequestId);
};

/**
 * Returns a function's handler, which is loaded by its first call. If that fails or the handler throws, the error is
 * logged, and an HTTP request gets 500, as on AWS; serverless-offline would send 200 with the stack trace.
 * @param file the handler's file, relative to the repository
 * @param takesHead whether it has a route for HEAD; otherwise that is 404
 */
export const localHandler = (name: string, file: string, takesHead = false): Handler => {
  const load = async (): Promise<Handler> => {
    const { handler } = await import(pathToFileURL(resolve(ROOT, file)).href);
    if (typeof handler !== "function") throw new Error(`${file} exports no function named handler`);
    return handler;
  };
  return async (event, context) => {
    if (!takesHead && isHead(event)) return notFound(event, context);
    let loaded: Handler | undefined;
    try {
      loaded = await load();
      return await loaded(event, context);
    } catch (error) {
      const what = loaded === undefined ? "handler cannot be loaded" : "handler failed";
      const hint = isMissingPackage(error) ? { hint: "run npm ci, or wait until it has finished" } : {};
      log.error(what, { request_id: context.awsRequestId, name, ...hint, error });
      // The poller of a worker must see that the invocation failed.
      if (!isHttpRequest(event)) throw error;
      return withRequestId(errorResponse(error, "problem", context.awsRequestId), context.awsRequestId);
    }
  };
};

/**
 * Replaces the value of each `Authorization` header by the values of all, joined with commas, as API Gateway does.
 * @param raw alternating names and values; changed in place, because Node.js has counted them already
 */
const joinAuthorizationValues = (raw: string[]): void => {
  const places = [...raw.keys()].filter(
    (at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === "authorization",
  );
  const joined = places.map((at) => raw[at]).join(", ");
  for (const at of places) raw[at] = joined;
};

/**
 * From now on, joins the `Authorization` headers within each request to this process. Of several, Node.js uses the
 * first and serverless-offline the last, but on AWS the service sees all of them and rejects the request.
 */
export const joinAuthorizations = (): void => {
  subscribe("http.server.request.start", (message) => {
    if (typeof message !== "object" || message === null || !("request" in message)) return;
    if (message.request instanceof IncomingMessage) joinAuthorizationValues(message.request.rawHeaders);
  });
};
