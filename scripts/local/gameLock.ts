/** Who holds a game: one process at a time, known to all others by a lock that ends with its holder. */
import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { makePrivate, PRIVATE_FILE_MODE } from "./privateFiles.ts";
import type { LocalSettings } from "./settings.ts";

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

/** The file of a game, made where it is not there yet. @throws UserError when it cannot be written, or has two names */
const writableFile = (given: string): string => {
  try {
    makeDirectory(dirname(given));
    const directory = realpathSync(dirname(given));
    if (!statSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`);
    accessSync(directory, constants.W_OK);
    const file = existsSync(given) ? realpathSync(given) : join(directory, basename(given));
    if (existsSync(file) && !statSync(file).isFile()) throw new Error("it is not a file");
    closeSync(openSync(file, "a+", PRIVATE_FILE_MODE));
    return file;
  } catch (error) {
    throw new UserError(
      `GAME_FILE=${given} cannot be written (${faultOf(error)}): name a file in a directory that this account may write.`,
    );
  }
};

/**
 * What identifies a file by whatever path it is reached.
 * @throws UserError when it has a second name: the latest changes are in a file named after the one that is in use
 */
const identityOf = (file: string, given: string): string => {
  const { dev, ino, nlink } = statSync(file);
  if (nlink === 1) return `${dev}:${ino}`;
  throw new UserError(
    `GAME_FILE=${given} has ${nlink} names (hard links), and a game must have one: remove the others. ` +
      "To copy a game, use npm run export and npm run import.",
  );
};

/**
 * The game that the settings name.
 * @throws UserError when its file cannot be written, or has a second name
 */
export const gameOf = ({ place, port }: Pick<LocalSettings, "place" | "port">): Game => {
  const local = join(ROOT, ".local");
  if (place.kind === "file") {
    const file = writableFile(place.file);
    const lock = identityOf(file, place.file);
    const beside = {
      record: `${file}.run.json`,
      keys: `${file}.keys.json`,
      queue: `${file}.queue`,
      stream: `${file}.stream.json`,
    };
    makePrivate([file, `${file}-wal`, `${file}-shm`, ...Object.values(beside)]);
    return {
      file,
      ...beside,
      lock,
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

export interface GameLock {
  release(): void;
}

const HELD = "EADDRINUSE";

/**
 * Takes the game, unless another process has it. The lock is a socket of Linux's abstract namespace: the
 * system gives it to one process at a time and takes it back when that ends, however it ends.
 */
export const acquireGameLock = (game: Pick<Game, "lock">): Promise<GameLock | null> => {
  const digest = createHash("sha256").update(game.lock).digest("hex");
  const { promise, resolve, reject } = Promise.withResolvers<GameLock | null>();
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
