/** The outermost middleware: one log line per request, and a reply to whatever was thrown. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { Refusal } from "../domain/refusal.ts";
import { durationSince, log } from "../log.ts";
import { DatabaseBusy } from "../store/database.ts";
import { codeOf, type ErrorForm, errorReply, type Reply } from "./replies.ts";

/** Answers everything: nothing leaves a handler but a reply, and every reply has its request id. */
export const boundary = (route: string, form: ErrorForm): MiddlewareObj<APIGatewayProxyEventV2, Reply> => {
  // By the context: an event that was typed by hand may be no object at all.
  const starts = new WeakMap<Context, number>();
  const finish = (context: Context, answer: Reply, code?: string): Reply => {
    const started = starts.get(context) ?? performance.now();
    log().info("request", {
      request_id: context.awsRequestId,
      route,
      status: answer.statusCode,
      duration_ms: durationSince(started),
      ...(code === undefined ? {} : { code }),
    });
    return { ...answer, headers: { ...answer.headers, "x-request-id": context.awsRequestId } };
  };
  return {
    before: ({ context }) => {
      starts.set(context, performance.now());
    },
    after: (request) => {
      const { context, response } = request;
      if (response !== null && response !== undefined) request.response = finish(context, response);
    },
    onError: (request) => {
      const { context } = request;
      const { error } = request;
      if (!(error instanceof Refusal || error instanceof DatabaseBusy)) {
        log().error("fault", { request_id: context.awsRequestId, route, error: error ?? "unknown" });
      }
      request.response = finish(context, errorReply(error, form, context.awsRequestId), codeOf(error));
    },
  };
};
