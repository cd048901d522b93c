/** Who holds a game: one process at a time, known to all others by a lock that ends with its holder. */
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { ROOT } from "./root.ts";
import type { LocalSettings } from "./settings.ts";
import { messageOf, UserError } from "./userError.ts";

/** The files of a game, and the name of its lock. */
export interface Game {
  /** The tables; null in memory. */
  readonly file: string | null;
  /** Which service runs on it, for the tools. */
  readonly record: string;
  /** The keys made for it; null when nothing is to be kept. */
  readonly keys: string | null;
  /** The folder of what waits on its queue, and how far its stream has been read; null likewise. */
  readonly queue: string | null;
  readonly stream: string | null;
  readonly lock: string;
  /** The game in words of the settings. */
  readonly name: string;
}

const faultOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : messageOf(error);

/** Makes a directory and those above it, one by one: `recursive` never ends where a file system refuses (/proc). */
const makeDirectory = (directory: string): void => {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another start may have made it in between.
    if (!existsSync(directory)) throw error;
  }
};

const writableFile = (file: string): string => {
  try {
    makeDirectory(dirname(file));
    const directory = realpathSync(dirname(file));
    if (!statSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`);
    accessSync(directory, constants.W_OK);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return join(directory, basename(file));
    if (!stats.isFile()) throw new Error("it is not a file");
    accessSync(file, constants.R_OK | constants.W_OK);
    return realpathSync(file);
  } catch (error) {
    throw new UserError(
      `GAME_FILE=${file} cannot be written (${faultOf(error)}): name a file in a directory that this account may write.`,
    );
  }
};

/**
 * The game that the settings name.
 * @throws UserError when its file cannot be written
 */
export const gameOf = ({ place, port }: Pick<LocalSettings, "place" | "port">): Game => {
  const local = join(ROOT, ".local");
  if (place.kind === "file") {
    const file = writableFile(place.file);
    return {
      file,
      record: `${file}.run.json`,
      keys: `${file}.keys.json`,
      queue: `${file}.queue`,
      stream: `${file}.stream.json`,
      lock: file,
      name: `GAME_FILE=${place.file}`,
    };
  }
  const service = join(local, `${place.kind}-${port}`);
  const record = `${service}.run.json`;
  const isKept = place.kind === "endpoint";
  return {
    file: null,
    record,
    keys: isKept ? join(local, "keys.json") : null,
    queue: isKept ? `${service}.queue` : null,
    stream: isKept ? `${service}.stream.json` : null,
    lock: record,
    name: place.kind === "memory" ? `GAME_FILE=:memory: PORT=${port}` : `PORT=${port}`,
  };
};

export interface Hold {
  release(): void;
}

const HELD = "EADDRINUSE";

/**
 * Takes the game, unless another process has it. The lock is a socket of Linux's abstract namespace: the
 * system gives it to one process at a time and takes it back when that ends, however it ends.
 */
export const takeHold = (game: Pick<Game, "lock">): Promise<Hold | null> => {
  const digest = createHash("sha256").update(game.lock).digest("hex");
  const { promise, resolve, reject } = Promise.withResolvers<Hold | null>();
  const server: Server = createServer((socket) => socket.destroy());
  server.once("error", (error) => {
    if ("code" in error && error.code === HELD) resolve(null);
    else reject(error);
  });
  server.listen({ path: `\0zombie-game-${digest}` }, () => {
    server.unref();
    resolve({ release: () => server.close() });
  });
  return promise;
};
