/** The files of a local game, and the lock that lets one process use it at a time. */
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
import { codeOf, messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { makePrivate, PRIVATE_FILE_MODE } from "./privateFiles.ts";
import type { LocalSettings } from "./settings.ts";

/** The files of a game, and its lock. */
export interface Game {
  /** The file of the tables; null in memory. */
  readonly file: string | null;
  /** The run file, which describes the running service. */
  readonly record: string;
  /** The file of the generated keys; null if they are not kept. */
  readonly keys: string | null;
  /** The folder of the queue and the checkpoint of the stream; null if they are not kept. */
  readonly queue: string | null;
  readonly stream: string | null;
  readonly lock: string;
  /** The settings that select the game, for messages. */
  readonly name: string;
}

/** Creates a directory and its parents. `recursive` never returns on some file systems (/proc). */
const makeDirectory = (directory: string): void => {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // A concurrent start may have created it.
    if (!existsSync(directory)) throw error;
  }
};

/** Returns the real path of a game file, and creates it if necessary. @throws UserError if it cannot be written */
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
      `GAME_FILE=${given} cannot be written (${codeOf(error) ?? messageOf(error)}). Name a file in a writable directory.`,
    );
  }
};

/**
 * Identifies a file independent of its path.
 * @throws UserError if it has hard links, because SQLite's log is named after the path in use
 */
const identityOf = (file: string, given: string): string => {
  const { dev, ino, nlink } = statSync(file);
  if (nlink === 1) return `${dev}:${ino}`;
  throw new UserError(
    `GAME_FILE=${given} has ${nlink} names (hard links), but a game may have only one. Remove the others. ` +
      "To copy a game, use npm run export and npm run import.",
  );
};

/**
 * Returns the game of the settings.
 * @throws UserError if its file cannot be written or has hard links
 */
export const gameOf = ({ place, port }: Pick<LocalSettings, "place" | "port">): Game => {
  const local = join(ROOT, ".local");
  if (place.kind === "file") {
    const file = writableFile(place.file);
    const lock = identityOf(file, place.file);
    const files = {
      record: `${file}.run.json`,
      keys: `${file}.keys.json`,
      queue: `${file}.queue`,
      stream: `${file}.stream.json`,
    };
    makePrivate([file, `${file}-wal`, `${file}-shm`, ...Object.values(files)]);
    return {
      file,
      ...files,
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

const LOCKED = "EADDRINUSE";

/**
 * Acquires the lock of a game; returns null if another process has it. The lock is a socket in Linux's abstract
 * namespace, which the system releases when its process ends in any way.
 */
export const acquireGameLock = (game: Pick<Game, "lock">): Promise<GameLock | null> => {
  const digest = createHash("sha256").update(game.lock).digest("hex");
  const { promise, resolve, reject } = Promise.withResolvers<GameLock | null>();
  const server: Server = createServer((socket) => socket.destroy());
  server.once("error", (error) => {
    if (codeOf(error) === LOCKED) resolve(null);
    else reject(error);
  });
  server.listen({ path: `\0zombie-game-${digest}` }, () => {
    server.unref();
    resolve({ release: () => server.close() });
  });
  return promise;
};
