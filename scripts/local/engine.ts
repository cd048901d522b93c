/** The embedded DynamoDB engine: the binary that npm installs, on a file or in memory. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort, HOST } from "./ports.ts";
import { spawnTethered, type Tethered } from "./tethered.ts";
import { UserError } from "./userError.ts";

const PACKAGE = "@dynoxide/linux-x64";
const TRIES = 5;
const START_MS = 5_000;

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

/** Starts the engine on a port; answers why not when it did not start. */
const startOn = async (port: number, file: string | undefined): Promise<Engine | string> => {
  const said: string[] = [];
  const { promise: listening, resolve: nowListening } = Promise.withResolvers<true>();
  const command = [binary(), "serve", "--host", HOST, "--port", `${port}`];
  const engine = await spawnTethered(file === undefined ? command : [...command, "--db-path", file], {
    onLine: (line) => {
      if (line.includes("listening on")) nowListening(true);
      said.push(line);
    },
  });
  const timeout = AbortSignal.timeout(START_MS);
  const late = new Promise<false>((resolve) => {
    timeout.addEventListener("abort", () => resolve(false));
  });
  if ((await Promise.race([listening, late, engine.ended])) === true) {
    return { endpoint: `http://${HOST}:${port}`, process: engine, stop: () => engine.stop() };
  }
  await engine.stop();
  // The pipe may hold its last words a moment longer than the process lives.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return said.join(" ").trim() || (await engine.ended);
};

/**
 * Starts an engine on a port that nobody uses.
 * @param options.file where its tables are kept; in memory without
 * @throws UserError when it does not start, with its own words
 */
export const startEngine = async ({ file }: { file?: string } = {}): Promise<Engine> => {
  let fault = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const engine = await startOn(await freePort(), file);
    if (typeof engine !== "string") return engine;
    fault = engine;
    // Only a port that somebody took in between is worth another try.
    if (!/address.*in use|EADDRINUSE/i.test(fault)) break;
  }
  const words = fault.replace(/^error: /, "").replace(/\.$/, "");
  if (file === undefined) throw new UserError(`The database engine does not start: ${words}.`);
  throw new UserError(
    `The database engine does not start on GAME_FILE=${file}: ${words}. Name another file.`,
  );
};
