/**
 * Records each function's calls of AWS in tests in process, as actions of an access policy. Roles are checked against them
 * (tests/deployment).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import type { Services } from "../../lib/lambda/services.ts";
import type { Queue } from "../../lib/queue/queue.ts";
import type { KeySource } from "../../lib/secrets/secrets.ts";
import { CACHE } from "../../scripts/bundle/cache.ts";

/** Where a test run stores its recorded calls. */
export const CALLS = join(CACHE, "calls");

/** The calls and responses that one process has recorded, and the test files that it has completed. */
export const RecordedCalls = z.object({
  calls: z.record(z.string(), z.array(z.string())),
  responses: z.array(z.string()),
  files: z.array(z.string()),
});

/** The process of the run, and its filter of tests, if any. */
export const Run = z.object({ pid: z.int(), filter: z.nullable(z.string()) });
export const RUN = join(CALLS, "run");

const during = new AsyncLocalStorage<string>();
const calls = new Map<string, Set<string>>();
const responses = new Set<string>();
const files = new Set<string>();

/** Records that an endpoint has returned a status, and which code if it was an error that has one. */
export const noteResponse = (route: string, status: number, code: unknown): void => {
  responses.add([route, status, ...(status < 400 || code === undefined ? [] : [code])].join(" "));
};

/** Runs the work of a function, by its name in `functions.yml`. */
export const asFunction = <T>(name: string, work: () => T): T => during.run(name, work);

interface Workable<E, R> {
  on: (services: Services) => (event: E, context: Context) => Promise<R>;
}

/** A worker whose calls are recorded. */
export const asWorker = <E, R>(name: string, handler: Workable<E, R>): Workable<E, R> => ({
  on: (services) => (event, context) => asFunction(name, () => handler.on(services)(event, context)),
});

/** Calls outside functions, such as those of a test itself, are not recorded. */
const note = (place: string, action: string): void => {
  const name = during.getStore();
  if (name === undefined) return;
  const known = calls.get(name) ?? new Set();
  known.add(`${place} ${action}`);
  calls.set(name, known);
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The actions of the items of a transaction. */
const IN_TRANSACTIONS = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
};

const PARTIQL = {
  select: "PartiQLSelect",
  insert: "PartiQLInsert",
  update: "PartiQLUpdate",
  delete: "PartiQLDelete",
};

/** The verb of a statement, and the index that it names. */
const STATEMENT = /^\s*((?:SELECT|DELETE)[\s\S]*?\bFROM|INSERT\s+INTO|UPDATE)\s+"[^"]+"(?:\."(\w+)")?/i;

const noteCommand = (command: string, input: Record<string, unknown>): void => {
  const operation = command.replace(/Command$/, "");
  if (operation.startsWith("TransactWrite")) {
    for (const item of Array.isArray(input.TransactItems) ? input.TransactItems : []) {
      for (const [kind, action] of Object.entries(IN_TRANSACTIONS)) if (kind in item) note("table", action);
    }
    return;
  }
  if (operation.startsWith("ExecuteStatement")) {
    const [, beginning = "", index = "table"] = STATEMENT.exec(textOf(input.Statement)) ?? [];
    const action = Object.entries(PARTIQL).find(([verb]) => beginning.toLowerCase().startsWith(verb))?.[1];
    if (action === undefined) throw new Error(`which action is ${textOf(input.Statement)}?`);
    note(index, action);
    return;
  }
  note(textOf(input.IndexName) || "table", operation.replace(/^(Get|BatchGet|Put|Update)$/, "$1Item"));
};

/** Records the calls of a database client. */
export const recorded = (client: DynamoDBClient): void => {
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (args) => {
        if (isRecord(args.input)) noteCommand(commandName, args.input);
        return next(args);
      },
    { step: "initialize", name: "recorded", priority: "high" },
  );
};

/** Records the messages of a queue. */
export const recordedQueue = (queue: Queue): Queue => ({
  send: (messages) => {
    if (messages.length > 0) note("queue", "SendMessage");
    return queue.send(messages);
  },
});

const recordedSource = <K>(place: string, source: KeySource<K> | null): KeySource<K> | null => {
  if (source === null || !("given" in source)) return source;
  const { given } = source;
  return {
    get given() {
      note(place, "GetParameter");
      return given;
    },
  };
};

/** Records which keys are read: on AWS each kind is a parameter. */
export const withRecordedKeys = (services: Services): Services => {
  const { cursorKeys, push } = services;
  return {
    ...services,
    cursorKeys: recordedSource("cursor_keys", cursorKeys),
    push: { ...push, vapid: recordedSource("vapid_keys", push.vapid) },
  };
};

const own = randomUUID();

/** Stores what this process has recorded so far, and that a file has been completed. */
export const recordFile = async (file: string): Promise<void> => {
  files.add(file);
  const seen = Object.fromEntries([...calls].map(([name, actions]) => [name, [...actions].toSorted()]));
  await mkdir(CALLS, { recursive: true });
  await writeFile(
    join(CALLS, `${own}.json`),
    JSON.stringify({ calls: seen, responses: [...responses], files: [...files] }),
  );
};
