/** Faults of a request to the database: of the connection, or of DynamoDB. */
import type { Call, Effect } from "./calls.ts";
import { INNERMOST } from "./process.ts";
import type { Passing, Request } from "./wire.ts";

interface WireFault {
  fits: (call: Call) => boolean;
  strike: (passing: Passing) => Promise<void>;
  /** Whether every request meets it from then on. */
  lasts?: boolean;
  /** Whether it is permanent. */
  breaks?: boolean;
}

const JSON_TYPE = "application/x-amz-json-1.0";

/** An exception, as DynamoDB writes it. */
const exception = (name: string, status = 400, more: Record<string, unknown> = {}) => {
  const message = `${INNERMOST}: ${name} of arn:aws:dynamodb:eu-central-1:123456789012:table/game`;
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more });
  const headers = { "content-type": JSON_TYPE, "x-amzn-requestid": "INNERMOST" };
  return { status, headers, body: Buffer.from(body) };
};

const refusing =
  (name: string, status?: number) =>
  async ({ respond }: Passing): Promise<void> => {
    respond(exception(name, status));
  };

/** A transaction that was cancelled: what about its first items, and nothing about the others. */
const cancelling =
  (...codes: string[]) =>
  async ({ input, respond }: Passing): Promise<void> => {
    const CancellationReasons = (input.TransactItems ?? []).map((_, at) => ({ Code: codes[at] ?? "None" }));
    respond(exception("TransactionCanceledException", 400, { CancellationReasons }));
  };

const any = (): boolean => true;
const named =
  (...operations: string[]) =>
  ({ name }: Call): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const transacts = named("TransactWriteItems");
const statements = ["ExecuteStatement INSERT", "ExecuteStatement UPDATE"];
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", ...statements);

const atTheDoorOrMany = ({ name }: Call): boolean =>
  /^(Query|BatchGetItem) |^GetItem .* SESSIONS$/.test(name);

/** Answers for some of the keys, and leaves the others. */
const leaving =
  (share: number) =>
  async ({ input, handOn, respond }: Passing): Promise<void> => {
    const left: NonNullable<Request["RequestItems"]> = {};
    const taken: NonNullable<Request["RequestItems"]> = {};
    for (const [table, wanted] of Object.entries(input.RequestItems ?? {})) {
      const kept = Math.floor(wanted.Keys.length * (1 - share));
      if (kept > 0) taken[table] = { ...wanted, Keys: wanted.Keys.slice(0, kept) };
      left[table] = { ...wanted, Keys: wanted.Keys.slice(kept) };
    }
    const empty = {
      status: 200,
      headers: { "content-type": JSON_TYPE },
      body: Buffer.from(`{"Responses":{}}`),
    };
    const { status, headers, body } =
      Object.keys(taken).length === 0 ? empty : await handOn({ ...input, RequestItems: taken });
    const { "x-amz-crc32": _, ...kept } = headers as Record<string, string>;
    const whole = { ...JSON.parse(body.toString()), UnprocessedKeys: left };
    respond({ status, headers: kept, body: Buffer.from(JSON.stringify(whole)) });
  };

/** What lasts meets only the requests that it fits; the others are handed on. */
const where =
  (operation: string, strike: WireFault["strike"]): WireFault["strike"] =>
  async (passing) => {
    if (passing.what === operation) await strike(passing);
    else passing.respond(await passing.handOn());
  };

/** The faults that a request can have. */
export const WIRE_FAULTS: Record<string, WireFault> = {
  throttled: { fits: any, strike: refusing("ThrottlingException") },
  "throughput exceeded": { fits: writes, strike: refusing("ProvisionedThroughputExceededException") },
  "limit exceeded": { fits: transacts, strike: refusing("RequestLimitExceeded") },
  "500": { fits: any, strike: refusing("InternalServerError", 500) },
  "503": { fits: any, strike: refusing("ServiceUnavailable", 503) },
  "line cut": {
    fits: any,
    strike: async ({ cut }) => cut(),
  },
  "response lost": {
    fits: writes,
    async strike({ handOn, cut }) {
      await handOn();
      cut();
    },
  },
  "response cut off": {
    fits: any,
    async strike({ handOn, begin }) {
      begin(await handOn());
    },
  },
  // Waited for as long as the client does: so not everywhere.
  "no response": {
    fits: ({ name }) => /^TransactWriteItems .*INTERACTIONS#/.test(name),
    async strike({ handOn }) {
      await handOn();
    },
  },
  "500 after it was done": {
    fits: writes,
    async strike({ handOn, respond }) {
      await handOn();
      respond(exception("InternalServerError", 500));
    },
  },
  conflict: { fits: transacts, strike: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB reports a failed condition only when it has failed: at a job's end that means there is nothing left to do.
    fits: (call) => transacts(call) && !/ END(,|$)/.test(call.name),
    strike: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "throttled in a transaction": { fits: transacts, strike: cancelling("ThrottlingError", "None") },
  "exceeded in a transaction": {
    fits: transacts,
    strike: cancelling("ProvisionedThroughputExceeded", "TransactionConflict"),
  },
  "still in progress": { fits: transacts, strike: refusing("TransactionInProgressException") },
  "conflict with a transaction": {
    fits: named("PutItem", "UpdateItem"),
    strike: refusing("TransactionConflictException"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), strike: leaving(0.5) },
  "none processed": { fits: named("BatchGetItem"), strike: leaving(1) },
  "a short page": {
    fits: named("Query"),
    async strike({ input, handOn, respond }) {
      respond(await handOn({ ...input, Limit: 1 }));
    },
  },
  // Each takes as long as the client's patience: that a database is away is met at every call elsewhere.
  "away with 500": { fits: writes, strike: refusing("InternalServerError", 500), lasts: true },
  "nobody there": { fits: atTheDoorOrMany, strike: async ({ cut }) => cut(), lasts: true },
  "unprocessed for good": {
    fits: named("BatchGetItem"),
    strike: where("BatchGetItem", leaving(1)),
    lasts: true,
  },
  "writes throttled for good": {
    fits: transacts,
    strike: where("TransactWriteItems", refusing("ThrottlingException")),
    lasts: true,
  },
  "conflict for good": {
    fits: transacts,
    strike: where("TransactWriteItems", cancelling("TransactionConflict")),
    lasts: true,
  },
  // A statement's caller gets the database's own error.
  denied: {
    fits: ({ name }) => !name.startsWith("ExecuteStatement"),
    strike: refusing("AccessDeniedException"),
    breaks: true,
  },
};

/** The faults that fit a request. */
export const wireFaultsAt = (call: Call): string[] =>
  Object.keys(WIRE_FAULTS).filter((name) => WIRE_FAULTS[name]?.fits(call) === true);

/** What a fault leaves open. */
export const wireEffectOf = (fault: string): Effect => ({
  passes: WIRE_FAULTS[fault]?.breaks !== true,
  lasts: WIRE_FAULTS[fault]?.lasts === true,
  lags: "never",
});
