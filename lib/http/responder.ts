/** The outermost middleware: one log line per request, and a reply to whatever was thrown. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { DomainError } from "../domain/domainError.ts";
import { DatabaseBusy } from "../dynamodb/errors.ts";
import { invocationLogFields } from "../runtime/invocation.ts";
import { log } from "../runtime/log.ts";
import { compressResponse } from "./compress.ts";
import { withEntityTag } from "./etag.ts";
import { lowerCaseHeaders } from "./requestBody.ts";
import { type ErrorFormat, errorCode, errorResponse, type HttpResponse } from "./responses.ts";

/** Why the database could not be used, where that is what the request ended on: its own error, in one line. */
const databaseFaultOf = (error: unknown): { database?: string } => {
  const busy = error instanceof DomainError ? error.cause : error;
  if (!(busy instanceof DatabaseBusy)) return {};
  const { cause } = busy;
  return { database: cause instanceof Error ? `${cause.name}: ${cause.message}` : busy.message };
};

/** Answers everything: nothing leaves a handler but a reply, and every reply has its request id. */
export const responder = (
  route: string,
  form: ErrorFormat,
): MiddlewareObj<APIGatewayProxyEventV2, HttpResponse> => {
  const finish = (
    // An event that was typed by hand may be no object at all.
    { context, event }: { context: Context; event: Partial<APIGatewayProxyEventV2> | null },
    reply: HttpResponse,
    refused: { code?: string; database?: string } = {},
  ): Promise<HttpResponse> => {
    const headers = lowerCaseHeaders(event?.headers ?? {});
    const answer = route.startsWith("GET ") ? withEntityTag(reply, headers["if-none-match"]) : reply;
    log.info("request", {
      request_id: context.awsRequestId,
      route,
      status: answer.statusCode,
      ...invocationLogFields(),
      ...refused,
    });
    const named = { ...answer, headers: { ...answer.headers, "x-request-id": context.awsRequestId } };
    return compressResponse(named, headers["accept-encoding"]);
  };
  return {
    after: async (request) => {
      const { response } = request;
      if (response === null || response === undefined) return;
      request.response = await finish(request, response);
    },
    onError: async (request) => {
      const { context } = request;
      const { error } = request;
      if (!(error instanceof DomainError || error instanceof DatabaseBusy)) {
        log.error("fault", { request_id: context.awsRequestId, route, error: error ?? "unknown" });
      }
      const answer = errorResponse(error, form, context.awsRequestId);
      request.response = await finish(request, answer, { code: errorCode(error), ...databaseFaultOf(error) });
    },
  };
};
