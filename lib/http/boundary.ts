/** The outermost middleware: one log line per request, and a reply to whatever was thrown. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { Refusal } from "../domain/refusal.ts";
import { log } from "../log.ts";
import { DatabaseBusy } from "../store/database.ts";
import { UNAVAILABLE } from "../store/decide.ts";
import { codeOf, type ErrorForm, errorReply, type Reply } from "./replies.ts";

/** Answers everything: nothing leaves a handler but a reply, and every reply has its request id. */
export const boundary = (route: string, form: ErrorForm): MiddlewareObj<APIGatewayProxyEventV2, Reply> => {
  const starts = new WeakMap<object, number>();
  const finish = (event: object, context: Context, answer: Reply, code?: string): Reply => {
    const started = starts.get(event) ?? performance.now();
    log().info("request", {
      request_id: context.awsRequestId,
      route,
      status: answer.statusCode,
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
      ...(code === undefined ? {} : { code }),
    });
    return { ...answer, headers: { ...answer.headers, "x-request-id": context.awsRequestId } };
  };
  return {
    before: ({ event }) => {
      starts.set(event, performance.now());
    },
    after: (request) => {
      const { event, context, response } = request;
      if (response !== null && response !== undefined) request.response = finish(event, context, response);
    },
    onError: (request) => {
      const { event, context } = request;
      const error = request.error instanceof DatabaseBusy ? UNAVAILABLE() : request.error;
      if (!(error instanceof Refusal)) {
        log().error("fault", { request_id: context.awsRequestId, route, error: error ?? "unknown" });
      }
      request.response = finish(event, context, errorReply(error, form, context.awsRequestId), codeOf(error));
    },
  };
};
