/**
 * A fake AWS on loopback. It speaks the services' own protocols, so that the real clients and the real framework can
 * call it, and sends the responses that a test sets. It records all requests.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { listen } from "./listen.ts";

// biome-ignore lint/suspicious/noExplicitAny: each service has its own input
export type Input = any;

export interface AwsRequest {
  /** `service Action`, such as `ssm GetParameter`; for Lambda and S3 the method and the path. */
  action: string;
  input: Input;
  region: string;
  headers: IncomingHttpHeaders;
}

/** An error response. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** A response that is sent as it is, without the service's protocol. */
export class RestResponse {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(body: string, headers: Record<string, string> = {}, status = 200) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

type Respond = (input: Input, request: AwsRequest) => unknown;
/** Responses by action, or by a pattern of it. The first match is used. */
export type Responses = readonly (readonly [action: string | RegExp, respond: Respond])[];

/** Responses by action alone. */
export const byAction = (responses: Record<string, Respond>): Responses => Object.entries(responses);

export interface FakeAws {
  /** Sets the responses until the end of the test. */
  respond: (responses: Responses | (() => Responses)) => void;
  /** The requests of the test, in order. */
  readonly requests: AwsRequest[];
  count: (action: string) => number;
  /** Environment variables that make all clients of a process call this server. */
  readonly settings: Record<string, string>;
}

const escaped = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Values in the query protocol. */
const xml = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((one) => `<member>${xml(one)}</member>`).join("");
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object") return escaped(String(value));
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([name, one]) => `<${name}>${xml(one)}</${name}>`)
    .join("");
};

const SCOPE = /Credential=[^/]*\/\d+\/([\w-]+)\/([\w-]+)\/aws4_request/;

const isQuery = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;

const parseRequest = (message: IncomingMessage, body: string): AwsRequest => {
  const { method, url = "/", headers } = message;
  const [, region = "", service = ""] = SCOPE.exec(headers.authorization ?? "") ?? [];
  const target = headers["x-amz-target"];
  if (typeof target === "string") {
    const input = JSON.parse(body || "{}");
    return { action: `${service} ${target.split(".").at(-1)}`, input, region, headers };
  }
  if (isQuery(message)) {
    const input = Object.fromEntries(new URLSearchParams(body));
    return { action: `${service} ${input.Action}`, input, region, headers };
  }
  return { action: `${service} ${method} ${url}`, input: body, region, headers };
};

const respondTo = async (request: AwsRequest, responses: Responses): Promise<unknown> => {
  const [, respond] =
    responses.find(([action]) =>
      typeof action === "string" ? action === request.action : action.test(request.action),
    ) ?? [];
  if (respond === undefined)
    throw new AwsError("AccessDeniedException", `not allowed: ${request.action}`, 403);
  return respond(request.input, request);
};

/** A response in the protocol of the request. */
const format = (message: IncomingMessage, action: string, value: unknown): RestResponse => {
  if (value instanceof RestResponse) return value;
  if (value instanceof Error) {
    const {
      code,
      status,
      message: reason,
    } = value instanceof AwsError ? value : new AwsError("InternalFailure", String(value), 500);
    if (isQuery(message)) {
      const error = xml({ Type: "Sender", Code: code, Message: reason });
      return new RestResponse(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`, {}, status);
    }
    const headers = { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": code };
    return new RestResponse(JSON.stringify({ __type: code, message: reason }), headers, status);
  }
  if (!isQuery(message)) {
    return new RestResponse(JSON.stringify(value ?? {}), { "content-type": "application/x-amz-json-1.1" });
  }
  const result = `<${action}Result>${xml(value)}</${action}Result>`;
  return new RestResponse(`<${action}Response>${result}</${action}Response>`);
};

/** Starts one server for all tests of a file; requests and responses are reset before each test. */
export const useFakeAws = (): FakeAws => {
  const requests: AwsRequest[] = [];
  let responses: () => Responses = () => [];
  let endpoint = "";
  const server = createServer(async (message, response) => {
    const request = parseRequest(message, await text(message));
    requests.push(request);
    const value = await respondTo(request, responses()).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    const { status, headers, body } = format(message, request.action.split(" ")[1] ?? "", value);
    response.writeHead(status, { "content-type": "text/xml", "x-amzn-requestid": "0", ...headers }).end(body);
  });
  beforeAll(async () => {
    endpoint = `http://127.0.0.1:${await listen(server)}`;
  });
  beforeEach(() => {
    requests.length = 0;
    responses = () => [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    respond: (given) => {
      responses = typeof given === "function" ? given : () => given;
    },
    requests,
    count: (action) => requests.filter((one) => one.action === action).length,
    get settings() {
      return {
        AWS_ENDPOINT_URL: endpoint,
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
        // Neither the user's own configuration nor the metadata service of a machine on AWS is used.
        AWS_CONFIG_FILE: "/dev/null",
        AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_MAX_ATTEMPTS: "1",
      };
    },
  };
};
