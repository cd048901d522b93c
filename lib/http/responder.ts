/** The outermost middleware: writes one log line per request, and turns any thrown error into a response. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { DomainError } from "../domain/domainError.ts";
import { DatabaseBusy } from "../dynamodb/errors.ts";
import { invocationLogFields } from "../runtime/invocation.ts";
import { log } from "../runtime/log.ts";
import { compressResponse, withVary } from "./compress.ts";
import { notModified } from "./etag.ts";
import { lowerCaseHeaders } from "./requestBody.ts";
import { type ErrorFormat, errorCode, errorResponse, type HttpResponse } from "./responses.ts";

/** The database's own error, in one line, when the request failed because the database was busy. */
const databaseErrorOf = (error: unknown): { database?: string } => {
  const busy = error instanceof DomainError ? error.cause : error;
  if (!(busy instanceof DatabaseBusy)) return {};
  const { cause } = busy;
  return { database: cause instanceof Error ? `${cause.name}: ${cause.message}` : busy.message };
};

/** Makes the middleware. Every response gets the id of its request. */
export const responder = (
  route: string,
  form: ErrorFormat,
): MiddlewareObj<APIGatewayProxyEventV2, HttpResponse> => {
  const finish = (
    // A test event in the Lambda console need not be an object.
    { context, event }: { context: Context; event: Partial<APIGatewayProxyEventV2> | null },
    response: HttpResponse,
    failure: { code?: string; database?: string } = {},
  ): Promise<HttpResponse> => {
    const headers = lowerCaseHeaders(event?.headers ?? {});
    const whole = withVary(response);
    const isRead = route.startsWith("GET ");
    const sent = (isRead ? notModified(whole, headers["if-none-match"]) : null) ?? whole;
    log.info("request", {
      request_id: context.awsRequestId,
      route,
      status: sent.statusCode,
      ...invocationLogFields(),
      ...failure,
    });
    const identified = { ...sent, headers: { ...sent.headers, "x-request-id": context.awsRequestId } };
    return compressResponse(identified, headers["accept-encoding"]);
  };
  return {
    after: async (request) => {
      const { response } = request;
      if (response === null || response === undefined) return;
      request.response = await finish(request, response);
    },
    onError: async (request) => {
      const { context, error } = request;
      if (!(error instanceof DomainError || error instanceof DatabaseBusy)) {
        log.error("fault", { request_id: context.awsRequestId, route, error: error ?? "unknown" });
      }
      const response = errorResponse(error, form, context.awsRequestId);
      request.response = await finish(request, response, {
        code: errorCode(error),
        ...databaseErrorOf(error),
      });
    },
  };
};
