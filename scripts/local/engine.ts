/** The embedded DynamoDB engine: the binary that npm installs, on a file or in memory. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { type Address, privateAddress } from "../cli/ports.ts";
import { DAMAGED, explainStorageError } from "../cli/storageErrors.ts";
import { messageOf, UserError } from "../cli/userError.ts";

const PACKAGE = "@dynoxide/linux-x64";
const TRIES = 5;
const START_MS = 5_000;
const KNOCK_MS = 100;

export interface Engine {
  readonly endpoint: string;
  readonly process: Child;
  stop(): Promise<void>;
}

const binary = (): string => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), "dynoxide");
  } catch {
    throw new UserError(
      `The embedded database engine (${PACKAGE}) is not installed on this ${process.platform}-${process.arch} machine: ` +
        "run npm ci, or name another engine in DYNAMODB_ENDPOINT.",
    );
  }
};

/** A program that serves a database at an address, and how to tell that it does. */
interface Program {
  command: (address: Address) => readonly string[];
  /** An address that was free a moment ago; one that no web page can call unless given. */
  address?: () => Promise<Address>;
  /** How long it may take to start, in milliseconds. */
  startMs: number;
  /** Whether a line that it prints says that it listens. */
  saysSo?: (line: string) => boolean;
  /** Whether it answers there, of one that does not say. */
  answers?: (address: Address) => Promise<boolean>;
}

/** Starts a program at an address; answers why not when it did not start. */
const startAt = async (address: Address, program: Program): Promise<Engine | string> => {
  const said: string[] = [];
  const { promise: listening, resolve: nowListening } = Promise.withResolvers<true>();
  const engine = await spawnChild(program.command(address), {
    onLine: (line) => {
      if (program.saysSo?.(line) === true) nowListening(true);
      said.push(line);
    },
  });
  const knock = setInterval(async () => {
    if ((await program.answers?.(address)) === true) nowListening(true);
  }, KNOCK_MS);
  const timeout = AbortSignal.timeout(program.startMs);
  const late = new Promise<false>((resolve) => {
    timeout.addEventListener("abort", () => resolve(false));
  });
  const started = await Promise.race([listening, late, engine.ended]);
  clearInterval(knock);
  if (started === true) {
    return { endpoint: `http://${address.host}:${address.port}`, process: engine, stop: () => engine.stop() };
  }
  await engine.stop();
  // The pipe may hold its last words a moment longer than the process lives.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return said.join(" ").trim() || (await engine.ended);
};

/** Starts a program at an address that nobody uses; answers why not when it did not start. */
export const startServing = async (program: Program): Promise<Engine | string> => {
  const { address = privateAddress } = program;
  let fault = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const engine = await startAt(await address(), program);
    if (typeof engine !== "string") return engine;
    fault = engine;
    // Only a port that somebody took in between is worth another try.
    if (!/in use|EADDRINUSE/i.test(fault)) break;
  }
  return fault;
};

/**
 * Has SQLite go through a file before anything is stored in it: 0.1 s for 50 MB.
 * @throws UserError when the file is damaged
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
    // Anything else is for the engine to say.
    found = messageOf(error);
  }
  const fault = explainStorageError(found, file);
  if (fault !== null) throw new UserError(fault);
};

/**
 * Starts an engine. It takes every request whatever its signature or `Origin` is, so it listens where no web page can
 * reach it (docs/decisions/0040-local-ports.md).
 * @param options.file where its tables are kept; in memory without
 * @throws UserError when it does not start, with its own words
 */
export const startEngine = async ({ file }: { file?: string } = {}): Promise<Engine> => {
  if (file !== undefined) assertIntact(file);
  const engine = await startServing({
    command: ({ host, port }) => {
      const command = [binary(), "serve", "--host", host, "--port", `${port}`];
      return file === undefined ? command : [...command, "--db-path", file];
    },
    startMs: START_MS,
    saysSo: (line) => line.includes("listening on"),
  });
  if (typeof engine !== "string") return engine;
  const words = engine.replace(/^error: /, "").replace(/\.$/, "");
  if (file === undefined) throw new UserError(`The database engine does not start: ${words}.`);
  throw new UserError(
    explainStorageError(words, file) ??
      `The database engine does not start on GAME_FILE=${file}: ${words}. Name another file.`,
  );
};
