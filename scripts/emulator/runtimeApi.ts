/**
 * The Runtime API of Lambda for one execution environment: AWS's runtime loop fetches its events here, and posts its
 * results. It refuses what AWS refuses, by https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html and by AWS's
 * Runtime Interface Emulator (https://github.com/aws/aws-lambda-runtime-interface-emulator, internal/lambda/rapi), which
 * is a Go program and on no package registry of Node.js.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { HOST } from "../cli/ports.ts";

/** The largest event of a synchronous invocation, and its largest result, in bytes. */
export const MAX_EVENT_BYTES = 6 * 1024 * 1024;
const MAX_RESULT_BYTES = MAX_EVENT_BYTES + 100;

/** An error as a runtime reports it. */
export interface FunctionError {
  errorType: string;
  errorMessage: string;
  trace?: readonly string[];
}

/** What became of an invocation: the function's result as JSON, or an error. */
export type Outcome = { result: string } | { error: FunctionError };

export interface Invocation {
  event: string;
  /** When the function's time is over, in milliseconds since 1970. */
  deadline: number;
  functionArn: string;
}

export interface RuntimeApi {
  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Resolves with the error of the initialization, if there is one. */
  readonly initError: Promise<FunctionError>;
  /** Passes on an event, as soon as the runtime asks for one. Only one at a time. */
  invoke(invocation: Invocation): Promise<Outcome>;
  close(): void;
}

/** A refusal, or the response to what was accepted. */
interface Reply {
  status: number;
  body: object;
}

const ACCEPTED: Reply = { status: 202, body: { status: "OK" } };
const refusal = (status: number, errorType: string, errorMessage: string): Reply => ({
  status,
  body: { errorType, errorMessage },
});
const wrongState = (state: string): Reply =>
  refusal(403, "InvalidStateTransition", `Not allowed in the state ${state}`);

/** Reads the error in a request of the runtime. */
const parseError = (body: Buffer): FunctionError => {
  try {
    const { errorType = "Unknown", errorMessage = "", trace = [] } = Object(JSON.parse(body.toString()));
    return { errorType: String(errorType), errorMessage: String(errorMessage), trace };
  } catch {
    return { errorType: "Unknown", errorMessage: body.toString().slice(0, 500) };
  }
};

/** Serves the Runtime API at a free port of this machine, for one execution environment. */
export const startRuntimeApi = async (): Promise<RuntimeApi> => {
  /** As AWS names them: `Started` until the runtime asks for its first event, `Running` while it works on one. */
  let state: "Started" | "InitError" | "Ready" | "Running" | "ResponseSent" = "Started";
  let current: { id: string; finish: (outcome: Outcome) => void } | undefined;
  let waiting: ServerResponse | undefined;
  let next: { id: string; invocation: Invocation } | undefined;
  const { promise: initError, resolve: failInit } = Promise.withResolvers<FunctionError>();

  /** Sends the next event, once there is one and the runtime waits for it. */
  const deliver = (): void => {
    if (waiting === undefined || next === undefined) return;
    const { id, invocation } = next;
    state = "Running";
    waiting.writeHead(200, {
      "content-type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": id,
      "Lambda-Runtime-Deadline-Ms": String(invocation.deadline),
      "Lambda-Runtime-Invoked-Function-Arn": invocation.functionArn,
      "Lambda-Runtime-Trace-Id": `Root=1-${id.slice(0, 8)}-${id.replaceAll("-", "").slice(8)};Sampled=0`,
    });
    waiting.end(invocation.event);
    [waiting, next] = [undefined, undefined];
  };

  const take = (id: string, outcome: (body: Buffer) => Outcome, body: Buffer): Reply => {
    if (current === undefined || id !== current.id)
      return refusal(400, "InvalidRequestID", "Invalid request ID");
    if (state !== "Running") return wrongState(state);
    state = "ResponseSent";
    if (body.length > MAX_RESULT_BYTES) {
      const errorMessage = `Response payload size exceeded maximum allowed payload size (${MAX_RESULT_BYTES} bytes).`;
      current.finish({ error: { errorType: "Function.ResponseSizeTooLarge", errorMessage } });
      return refusal(413, "RequestEntityTooLarge", errorMessage);
    }
    current.finish(outcome(body));
    return ACCEPTED;
  };

  const respondTo = (method: string, path: string, body: Buffer): Reply => {
    const [, id = "", what] =
      /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (method === "POST" && what === "response")
      return take(id, (text) => ({ result: text.toString() }), body);
    if (method === "POST" && what === "error") return take(id, (text) => ({ error: parseError(text) }), body);
    if (method === "POST" && path === "/2018-06-01/runtime/init/error") {
      if (state !== "Started") return wrongState(state);
      state = "InitError";
      failInit(parseError(body));
      return ACCEPTED;
    }
    return refusal(404, "NotFound", `There is no ${method} ${path}`);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    const body = await buffer(request);
    if (
      method === "GET" &&
      url === "/2018-06-01/runtime/invocation/next" &&
      state !== "Running" &&
      state !== "InitError"
    ) {
      state = "Ready";
      waiting = response;
      deliver();
      return;
    }
    const reply = url.endsWith("/invocation/next") ? wrongState(state) : respondTo(method, url, body);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
  };

  const server = createServer((request, response) => {
    // The runtime may end during a request.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, HOST, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the Runtime API has no port");

  return {
    address: `${HOST}:${address.port}`,
    initError,
    invoke(invocation) {
      const id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      current = { id, finish: resolve };
      next = { id, invocation };
      deliver();
      return promise;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
