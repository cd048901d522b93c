/**
 * The wire between the service and the database: a proxy that hands on what comes, and on one of its requests answers
 * what DynamoDB would, loses the respond, or lets the line break.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { type Call, counter, type Injection, isSame, type Nature, nameOf } from "./calls.ts";
import { WIRE_FAULTS } from "./wireFaults.ts";

const Attribute = z.object({ S: z.optional(z.string()) });
const Keyed = z.looseObject({ pk: z.optional(Attribute), sk: z.optional(Attribute) });
const InTransaction = z.looseObject({ Key: z.optional(Keyed), Item: z.optional(Keyed) });

/** What is looked at of a request, whichever it is. */
const Request = z.looseObject({
  Key: z.optional(Keyed),
  Item: z.optional(Keyed),
  RequestItems: z.optional(z.record(z.string(), z.looseObject({ Keys: z.array(Keyed) }))),
  TransactItems: z.optional(z.array(z.record(z.string(), InTransaction))),
  IndexName: z.optional(z.string()),
  ExpressionAttributeValues: z.optional(z.looseObject({ ":pk": z.optional(Attribute) })),
  Statement: z.optional(z.string()),
});
export type Request = z.infer<typeof Request>;

const keyOf = (keyed: z.infer<typeof Keyed> | undefined): Partial<Key> => ({
  pk: keyed?.pk?.S ?? "",
  sk: keyed?.sk?.S ?? "",
});

const keysOf = (input: Request): Partial<Key>[] => {
  if (input.RequestItems !== undefined) {
    return Object.values(input.RequestItems).flatMap(({ Keys }) => Keys.map(keyOf));
  }
  if (input.TransactItems !== undefined) {
    return input.TransactItems.flatMap((item) => Object.values(item)).map(({ Key, Item }) =>
      keyOf(Key ?? Item),
    );
  }
  const range = input.ExpressionAttributeValues?.[":pk"]?.S;
  if (range !== undefined) return [{ pk: range, sk: input.IndexName ?? "" }];
  return input.Statement === undefined
    ? [keyOf(input.Key ?? input.Item)]
    : [{ pk: input.Statement.split(/\s/)[0] ?? "", sk: "" }];
};

const NATURES: Record<string, Nature> = {
  PutItem: "write",
  UpdateItem: "write",
  TransactWriteItems: "transaction",
};

/** A request on its way, and what can be done with it. */
export interface Passing {
  what: string;
  input: Request;
  /** Hands it on, changed or as it came; what came back. */
  handOn: (input?: Request) => Promise<Answered>;
  respond: (answered: Answered) => void;
  /** Answers the beginning, and no more. */
  begin: (answered: Answered) => void;
  /** Breaks the line. */
  cut: () => void;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The fault that is injected now. */
interface Plan {
  injection: Injection | null;
  count: ReturnType<typeof counter>;
  calls: Call[];
  hasStruck: boolean;
  /** What every request meets from here on. */
  lasting: string | null;
}

export interface Wire {
  /** Where the service finds its database. */
  endpoint: () => string;
  start: (engine: string) => Promise<void>;
  stop: () => Promise<void>;
  /** Lets work be done while a request of it meets its fault. */
  during: <T>(
    injection: Injection | null,
    work: () => Promise<T>,
  ) => Promise<{ result: T; calls: Call[]; hasStruck: boolean }>;
  /** How long a request has: when the database does not come back, it shall soon give up. */
  timeLeft: () => number;
}

const answerWith = (response: ServerResponse, { status, headers, body }: Answered): void => {
  const { "transfer-encoding": _, ...kept } = headers;
  response.writeHead(status, { ...kept, "content-length": body.length }).end(body);
};

/** Makes a wire; it is to be started before it is used. */
export const makeWire = (): Wire => {
  const agent = new Agent({ keepAlive: true });
  let engine = "";
  let plan: Plan | null = null;

  const handOn = (headers: IncomingHttpHeaders, body: Buffer): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const onward = { agent, method: "POST", headers: { ...headers, "content-length": body.length } };
      const asking = send(engine, onward, (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () =>
          resolve({ status: reply.statusCode ?? 500, headers: reply.headers, body: Buffer.concat(chunks) }),
        );
      });
      asking.on("error", reject);
      asking.end(body);
    });

  const pass = async (
    headers: IncomingHttpHeaders,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> => {
    const what = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
    const input = Request.parse(JSON.parse(body.toString()));
    const passing: Passing = {
      what,
      input,
      handOn: (other) => handOn(headers, other === undefined ? body : Buffer.from(JSON.stringify(other))),
      respond: (answered) => answerWith(response, answered),
      begin: ({ status, headers: given, body: whole }) => {
        response.writeHead(status, { ...given, "content-length": whole.length });
        response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
      },
      cut: () => response.destroy(),
    };
    let fault: string | null = null;
    if (plan !== null) {
      const call = plan.count(nameOf(what, keysOf(input)), NATURES[what] ?? "read");
      plan.calls.push(call);
      if (plan.injection !== null && isSame(plan.injection.call, call)) {
        fault = plan.injection.fault;
        plan.hasStruck = true;
        if (WIRE_FAULTS[fault]?.lasts === true) plan.lasting = fault;
      }
      fault ??= plan.lasting;
    }
    const meets = fault === null ? undefined : WIRE_FAULTS[fault];
    if (meets === undefined) passing.respond(await passing.handOn());
    else await meets.strike(passing);
  };

  const server = createServer((asking, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => {});
    asking.on("data", (chunk: Buffer) => chunks.push(chunk));
    asking.on("end", () => {
      pass(asking.headers, Buffer.concat(chunks), response).catch(() => response.destroy());
    });
  });

  return {
    endpoint: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async start(to) {
      engine = to;
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve);
      });
    },
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
    async during(injection, work) {
      const own: Plan = { injection, count: counter(), calls: [], hasStruck: false, lasting: null };
      plan = own;
      try {
        return { result: await work(), calls: own.calls, hasStruck: own.hasStruck };
      } finally {
        plan = null;
        // What opened connections is done: the next process opens its own.
        server.closeIdleConnections();
      }
    },
    timeLeft: () => (typeof plan?.lasting === "string" ? 1_000 : 20_000),
  };
};
