/** The embedded DynamoDB engine: the binary that npm installs, on a file or in memory. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort, HOST } from "./ports.ts";
import { spawnTethered, type Tethered } from "./tethered.ts";
import { UserError } from "./userError.ts";

const PACKAGE = "@dynoxide/linux-x64";
const TRIES = 5;
const START_MS = 5_000;
const KNOCK_MS = 100;

export interface Engine {
  readonly endpoint: string;
  readonly process: Tethered;
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

/** A program that serves a database on a port, and how to tell that it does. */
interface Program {
  command: (port: number) => readonly string[];
  /** How long it may take to start, in milliseconds. */
  startMs: number;
  /** Whether a line that it prints says that it listens. */
  saysSo?: (line: string) => boolean;
  /** Whether it answers at the port, of one that does not say. */
  answers?: (port: number) => Promise<boolean>;
}

/** Starts a program on a port; answers why not when it did not start. */
const startOn = async (port: number, program: Program): Promise<Engine | string> => {
  const said: string[] = [];
  const { promise: listening, resolve: nowListening } = Promise.withResolvers<true>();
  const engine = await spawnTethered(program.command(port), {
    onLine: (line) => {
      if (program.saysSo?.(line) === true) nowListening(true);
      said.push(line);
    },
  });
  const knock = setInterval(async () => {
    if ((await program.answers?.(port)) === true) nowListening(true);
  }, KNOCK_MS);
  const timeout = AbortSignal.timeout(program.startMs);
  const late = new Promise<false>((resolve) => {
    timeout.addEventListener("abort", () => resolve(false));
  });
  const started = await Promise.race([listening, late, engine.ended]);
  clearInterval(knock);
  if (started === true) {
    return { endpoint: `http://${HOST}:${port}`, process: engine, stop: () => engine.stop() };
  }
  await engine.stop();
  // The pipe may hold its last words a moment longer than the process lives.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return said.join(" ").trim() || (await engine.ended);
};

/** Starts a program on a port that nobody uses; answers why not when it did not start. */
export const startServing = async (program: Program): Promise<Engine | string> => {
  let fault = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const engine = await startOn(await freePort(), program);
    if (typeof engine !== "string") return engine;
    fault = engine;
    // Only a port that somebody took in between is worth another try.
    if (!/address.*in use|EADDRINUSE/i.test(fault)) break;
  }
  return fault;
};

/**
 * Starts an engine on a port that nobody uses.
 * @param options.file where its tables are kept; in memory without
 * @throws UserError when it does not start, with its own words
 */
export const startEngine = async ({ file }: { file?: string } = {}): Promise<Engine> => {
  const engine = await startServing({
    command: (port) => {
      const command = [binary(), "serve", "--host", HOST, "--port", `${port}`];
      return file === undefined ? command : [...command, "--db-path", file];
    },
    startMs: START_MS,
    saysSo: (line) => line.includes("listening on"),
  });
  if (typeof engine !== "string") return engine;
  const words = engine.replace(/^error: /, "").replace(/\.$/, "");
  if (file === undefined) throw new UserError(`The database engine does not start: ${words}.`);
  throw new UserError(
    `The database engine does not start on GAME_FILE=${file}: ${words}. Name another file.`,
  );
};
