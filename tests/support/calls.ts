/**
 * Records each function's calls of AWS in tests in process, as actions of an access policy, and the responses of endpoints.
 * The tests of the project `roles` compare them with what is declared. Reads that only the embedded engine allows fail.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context } from "aws-lambda";
import type { Services } from "../../lib/lambda/services.ts";
import type { Queue } from "../../lib/queue/queue.ts";
import type { KeySource } from "../../lib/secrets/secrets.ts";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { readDefinition } from "../../scripts/local/table.ts";
import { ROOT } from "../../scripts/project/root.ts";

/** Where the processes of all runs store what they have recorded. */
export const CALLS = join(CACHE, "calls");
/** The folder of one run. */
export const folderOf = (run: number): string => join(CALLS, String(run));

/** What this process has recorded: lines of a kind, such as `call deliver queue SendMessage`. */
const recordedLines = new Set<string>();
const own = randomUUID();
const during = new AsyncLocalStorage<string>();

/** Records that an endpoint has returned a status, and which code if it was an error that has one. */
export const noteResponse = (route: string, status: number, code: unknown): void => {
  recordedLines.add(`response ${route} ${status}${status < 400 || code === undefined ? "" : ` ${code}`}`);
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
  if (name !== undefined) recordedLines.add(`call ${name} ${place} ${action}`);
};

/** The index that a statement names. */
const INDEX = /\b(?:FROM|INTO|UPDATE)\s+"[^"]+"\."(\w+)"/i;

// biome-ignore lint/suspicious/noExplicitAny: each command has an input of another type
type Input = any;
const noteCommand = (command: string, input: Input): void => {
  const operation = command.replace(/Command$/, "");
  if (operation.startsWith("TransactWrite")) {
    for (const item of input.TransactItems)
      for (const kind of Object.keys(item)) note("table", `${kind}Item`);
  } else if (operation === "ExecuteStatement") {
    const [verb = ""] = /[A-Z]+/.exec(input.Statement.toUpperCase()) ?? [];
    const [, index = "table"] = INDEX.exec(input.Statement) ?? [];
    note(index, `PartiQL${verb.charAt(0)}${verb.slice(1).toLowerCase()}`);
  } else {
    note(input.IndexName ?? "table", operation.replace(/^(Get|BatchGet|Put|Update)$/, "$1Item"));
  }
};

const { GlobalSecondaryIndexes } = await readDefinition();
/** @throws Error for a read of attributes that an index lacks: DynamoDB rejects it, but the embedded engine does not */
const requireProjected = ({ IndexName, ProjectionExpression, ExpressionAttributeNames }: Input): void => {
  const index = GlobalSecondaryIndexes.find((one) => one.IndexName === IndexName);
  if (index === undefined || ProjectionExpression === undefined) return;
  const own = index.KeySchema.map(({ AttributeName }) => AttributeName);
  const projected = ["pk", "sk", ...own, ...(index.Projection.NonKeyAttributes ?? [])];
  const read: string[] = ProjectionExpression.split(", ").map((one: string) => ExpressionAttributeNames[one]);
  const lacking = read.filter((name) => !projected.includes(name));
  if (lacking.length > 0) throw new Error(`${IndexName} does not project ${lacking.join(", ")}`);
};

/** Records the calls of a database client. */
export const recorded = (client: DynamoDBClient): void => {
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (args) => {
        noteCommand(commandName, args.input);
        requireProjected(args.input);
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
export const withRecordedKeys = (services: Services): Services => ({
  ...services,
  cursorKeys: recordedSource("cursor_keys", services.cursorKeys),
  mail: services.mail && {
    ...services.mail,
    url: recordedSource("mail_url", services.mail.url) ?? services.mail.url,
  },
  mailKeys: recordedSource("mail_keys", services.mailKeys),
  push: { ...services.push, vapid: recordedSource("vapid_keys", services.push.vapid) },
});

/** Stores what this process has recorded so far, and that a file has been completed. */
export const recordFile = (run: number, file: string): void => {
  if (run !== 0) recordedLines.add(`file ${file}`);
  writeFileSync(join(folderOf(run), own), [...recordedLines].join("\n"));
};

const TESTS = globSync(join(ROOT, "tests/{behaviour,contract}/**/*.test.ts"));

/** What the behaviour and contract tests of a run have recorded, and why that is incomplete, if it is. */
export const readRecorded = (run: number) => {
  const folder = folderOf(run);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const lines = names.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  const of = (kind: string): Set<string> =>
    new Set(lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : [])));
  const files = of("file");
  const absent = TESTS.filter((file) => !files.has(file)).length;
  return {
    /** The calls of AWS by a function. */
    callsOf: (name: string): string[] => [...of(`call ${name}`)],
    /** The responses to requests. */
    responses: of("response"),
    missing: absent > 0 ? `${absent} test files did not run completely` : null,
  };
};
