/**
 * A fake AWS on loopback. It speaks the services' own protocols, so that the real clients and the real framework can
 * call it, and sends the responses that a test sets. It records all requests.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { listen } from "./listen.ts";

// biome-ignore lint/suspicious/noExplicitAny: each service has its own input
export type Input = any;

export interface AwsRequest {
  /** `service Action`, such as `ssm GetParameter`; for Lambda and S3 the method and the path. */
  action: string;
  /** The parameters of a JSON or query request; the text of any other body. */
  input: Input;
  /** The body as it was sent. */
  body: Buffer;
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

type Respond = (input: Input, request: AwsRequest) => unknown;
/** Responses by action, or by a pattern of it. The first match is used. A `Response` is sent as it is. */
export type Responses = readonly (readonly [action: string | RegExp, respond: Respond])[];

/** Responses by action alone. */
export const byAction = (responses: Record<string, Respond>): Responses => Object.entries(responses);

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

const SCOPE = /Credential=([^/]*)\/\d+\/([\w-]+)\/([\w-]+)\/aws4_request/;

/** The access key that every service refuses because the session is over. */
export const EXPIRED_KEY = "EXPIRED";

/** The error for expired credentials. Services with the query protocol or XML name it differently from those with JSON. */
export const expired = ({ action }: AwsRequest): AwsError =>
  /^(sts|cloudformation|s3|sns) /.test(action)
    ? new AwsError("ExpiredToken", "The security token included in the request is expired", 403)
    : new AwsError("ExpiredTokenException", "The security token included in the request is expired");

const isQuery = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;

const parseRequest = (message: IncomingMessage, bytes: Buffer): AwsRequest => {
  const { method, url = "/", headers } = message;
  const body = bytes.toString();
  const [, , region = "", service = ""] = SCOPE.exec(headers.authorization ?? "") ?? [];
  const request = (action: string, input: Input) => ({
    ...{ action: `${service} ${action}`, input, body: bytes, region, headers },
  });
  const target = headers["x-amz-target"];
  if (typeof target === "string") return request(target.split(".").at(-1) ?? "", JSON.parse(body || "{}"));
  if (!isQuery(message)) return request(`${method} ${url}`, body);
  const input = Object.fromEntries(new URLSearchParams(body));
  return request(input.Action ?? "", input);
};

const respondTo = async (request: AwsRequest, responses: Responses): Promise<unknown> => {
  if (SCOPE.exec(request.headers.authorization ?? "")?.[1] === EXPIRED_KEY) throw expired(request);
  const isMatch = (action: string | RegExp) =>
    typeof action === "string" ? action === request.action : action.test(request.action);
  const [, respond] = responses.find(([action]) => isMatch(action)) ?? [];
  if (respond !== undefined) return respond(request.input, request);
  throw new AwsError("AccessDeniedException", `not allowed: ${request.action}`, 403);
};

/** A response in the protocol of the request. */
const format = (message: IncomingMessage, action: string, value: unknown): Response => {
  if (value instanceof Response) return value;
  const isS3 = action.startsWith("s3 ");
  const headers = { "content-type": isQuery(message) || isS3 ? "text/xml" : "application/x-amz-json-1.1" };
  if (value instanceof Error) {
    const error = value instanceof AwsError ? value : new AwsError("InternalFailure", String(value), 500);
    const { code: Code, status, message: Message } = error;
    const text = isS3
      ? xml({ Error: { Code, Message } })
      : isQuery(message)
        ? xml({ ErrorResponse: { Error: { Code, Message } } })
        : JSON.stringify({ __type: Code, message: Message });
    return new Response(text, { status, headers: { ...headers, "x-amzn-errortype": Code } });
  }
  if (!isQuery(message)) return Response.json(value ?? {}, { headers });
  const name = action.split(" ")[1] ?? "";
  return new Response(xml({ [`${name}Response`]: { [`${name}Result`]: value } }), { headers });
};

/** Starts one server for all tests of a file; requests and responses are reset before each test. */
export const useFakeAws = () => {
  const requests: AwsRequest[] = [];
  let responses: () => Responses = () => [];
  let intercept: (request: AwsRequest) => void = () => {};
  let endpoint = "";
  const server = createServer(async (message, response) => {
    const request = parseRequest(message, await buffer(message));
    requests.push(request);
    const answer = async (): Promise<unknown> => {
      intercept(request);
      return respondTo(request, responses());
    };
    const value = await answer().catch((error: Error) => error);
    const reply = format(message, request.action, value);
    response.writeHead(reply.status, { "x-amzn-requestid": "0", ...Object.fromEntries(reply.headers) });
    response.end(Buffer.from(await reply.clone().arrayBuffer()));
  });
  beforeAll(async () => {
    endpoint = `http://127.0.0.1:${await listen(server)}`;
  });
  beforeEach(() => {
    requests.length = 0;
    responses = () => [];
    intercept = () => {};
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    /** Sets the responses until the end of the test. */
    respond: (given: Responses | (() => Responses)): void => {
      responses = typeof given === "function" ? given : () => given;
    },
    /** Changes requests before they are answered, or throws an error in place of the answer, until the end of the test. */
    intercept: (given: (request: AwsRequest) => void): void => {
      intercept = given;
    },
    /** The requests of the test, in order. */
    requests,
    /** Environment variables that make all clients of a process call this server. */
    get settings(): Record<string, string> {
      return {
        ...{ AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
        // Neither the user's own configuration nor the metadata service of a machine on AWS is used.
        ...{ AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" },
        ...{ AWS_EC2_METADATA_DISABLED: "true", AWS_MAX_ATTEMPTS: "1" },
      };
    },
  };
};
