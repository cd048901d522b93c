/**
 * Writes down what each function asks of AWS while stories are told in process, in the words of an access policy: what
 * its role allows is held against that (tests/deployment).
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

/** Where a run of the stories writes what it has seen. */
export const CALLS = join(CACHE, "calls");

/** What one process has seen, and which files of stories it has told to their ends. */
export const RecordedCalls = z.object({
  calls: z.record(z.string(), z.array(z.string())),
  files: z.array(z.string()),
});

/** The process of the run, and of which tests it was asked for; of all when `null`. */
export const Run = z.object({ pid: z.int(), filter: z.nullable(z.string()) });
export const RUN = join(CALLS, "run");

const during = new AsyncLocalStorage<string>();
const calls = new Map<string, Set<string>>();
const files = new Set<string>();

/** Carries out what a function does, by its name in `functions.yml`. */
export const asFunction = <T>(name: string, work: () => T): T => during.run(name, work);

interface Workable<E, R> {
  on: (services: Services) => (event: E, context: Context) => Promise<R>;
}

/** A worker whose calls are written down. */
export const asWorker = <E, R>(name: string, handler: Workable<E, R>): Workable<E, R> => ({
  on: (services) => (event, context) => asFunction(name, () => handler.on(services)(event, context)),
});

/** Nobody's calls, such as a story's own looks behind the answers, are not written down. */
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

/** What the items of a transaction take, in the words of an access policy. */
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

/** What a statement does, and the index of the table that it does it to, where it names one. */
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

/** Has what a client of the database is asked for written down. */
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

/** A queue that writes down what is put on it. */
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

/** Services that write down which keys are asked for: on AWS each kind is a parameter. */
export const withRecordedKeys = (services: Services): Services => {
  const { cursorKeys, push } = services;
  return {
    ...services,
    cursorKeys: recordedSource("cursor_keys", cursorKeys),
    push: { ...push, vapid: recordedSource("vapid_keys", push.vapid) },
  };
};

const own = randomUUID();

/** Tells the run what this process has seen so far, and that a file has come to its end. */
export const recordFile = async (file: string): Promise<void> => {
  files.add(file);
  const seen = Object.fromEntries([...calls].map(([name, actions]) => [name, [...actions].toSorted()]));
  await mkdir(CALLS, { recursive: true });
  await writeFile(join(CALLS, `${own}.json`), JSON.stringify({ calls: seen, files: [...files] }));
};
