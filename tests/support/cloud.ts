/**
 * AWS as commands meet it, on loopback: it speaks the services' own protocols, so that the real clients and the real
 * framework are at work, and answers what a test gives it. What it was asked is kept.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

// biome-ignore lint/suspicious/noExplicitAny: what a service is asked is as its protocol has it
export type Input = any;

/** One call. */
export interface AwsRequest {
  /** `service Action`, such as `ssm GetParameter`; for Lambda and S3 the method and the path. */
  what: string;
  input: Input;
  region: string;
  headers: IncomingHttpHeaders;
}

/** What a service refuses with. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** An answer that is not told in the service's protocol, but as it stands. */
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

/** What is answered, by what is asked; a pattern for Lambda's paths. The first that fits. */
export type Responses = readonly (readonly [
  what: string | RegExp,
  answer: (input: Input, asked: AwsRequest) => unknown,
])[];

export interface Cloud {
  /** Everything that was asked, in order. */
  asked: AwsRequest[];
  /** Whether something was asked, and how often. */
  count: (what: string) => number;
  /** What makes every client of a process call this cloud. */
  settings: Record<string, string>;
  close: () => Promise<void>;
}

const escaped = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Values as the query protocol tells them: the members of a list are called `member`. */
export const xml = (value: unknown): string => {
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

const askedOf = ({ method, url = "/", headers }: IncomingMessage, body: string): AwsRequest => {
  const [, region = "", service = ""] = SCOPE.exec(headers.authorization ?? "") ?? [];
  const target = headers["x-amz-target"];
  if (typeof target === "string") {
    return {
      what: `${service} ${target.split(".").at(-1)}`,
      input: JSON.parse(body || "{}"),
      region,
      headers,
    };
  }
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
    const input = Object.fromEntries(new URLSearchParams(body));
    return { what: `${service} ${input.Action}`, input, region, headers };
  }
  return { what: `${service} ${method} ${url}`, input: body, region, headers };
};

/** Whether its answers are told as XML. */
const isQuery = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;

/** Starts a cloud; close it afterwards. Answers may be others at each call. */
export const startCloud = async (answers: Responses | (() => Responses)): Promise<Cloud> => {
  const asked: AwsRequest[] = [];
  const server = createServer(async (request, response) => {
    const one = askedOf(request, await text(request));
    asked.push(one);
    const action = one.what.split(" ")[1] ?? "";
    const answer = (
      status: number,
      type: string,
      body: string,
      headers: Record<string, string> = {},
    ): void => {
      response.writeHead(status, { "content-type": type, "x-amzn-requestid": "0", ...headers }).end(body);
    };
    try {
      const found = (typeof answers === "function" ? answers() : answers).find(([what]) =>
        typeof what === "string" ? what === one.what : what.test(one.what),
      );
      if (found === undefined) throw new AwsError("AccessDeniedException", `not allowed: ${one.what}`, 403);
      const value = await found[1](one.input, one);
      if (value instanceof RestResponse) answer(value.status, "application/xml", value.body, value.headers);
      else if (isQuery(request)) {
        answer(
          200,
          "text/xml",
          `<${action}Response><${action}Result>${xml(value)}</${action}Result></${action}Response>`,
        );
      } else answer(200, "application/x-amz-json-1.1", JSON.stringify(value ?? {}));
    } catch (error) {
      const { code, status, message } =
        error instanceof AwsError ? error : new AwsError("InternalFailure", String(error), 500);
      if (isQuery(request)) {
        const fault = xml({ Type: "Sender", Code: code, Message: message });
        answer(status, "text/xml", `<ErrorResponse><Error>${fault}</Error></ErrorResponse>`);
      } else {
        answer(status, "application/x-amz-json-1.1", JSON.stringify({ __type: code, message }), {
          "x-amzn-errortype": code,
        });
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    asked,
    count: (what) => asked.filter((one) => one.what === what).length,
    settings: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      // No file of whoever runs the tests, and no machine of AWS, is asked for others.
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_MAX_ATTEMPTS: "1",
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
