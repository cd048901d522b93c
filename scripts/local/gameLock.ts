/** The files of a local game, and the lock that lets one process use it at a time. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { diskFullMessage, FULL } from "../cli/storageErrors.ts";
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
  /** The file of the queue and of the position in the table's stream; `:memory:` if it is not kept. */
  readonly backlog: string;
  /** The folder of mails, if none are sent. */
  readonly mail: string;
  /** The lock file, which stays when it is unlocked. */
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

const backlogOf = (file: string): string => `${file}.backlog`;

/**
 * Returns the real path of a game file, and creates it if necessary. A new game has no messages and no position in the
 * stream, also if the file of an earlier one was removed.
 * @throws UserError if it cannot be written
 */
const writableFile = (given: string): string => {
  try {
    makeDirectory(dirname(given));
    const isNew = !existsSync(given);
    if (!isNew && !statSync(given).isFile()) throw new Error("it is not a file");
    closeSync(openSync(given, "a+", PRIVATE_FILE_MODE));
    const file = realpathSync(given);
    accessSync(dirname(file), constants.W_OK);
    if (isNew) rmSync(backlogOf(file), { force: true });
    return file;
  } catch (error) {
    const code = codeOf(error);
    const isLost = code === "ENOENT" && lstatSync(given, { throwIfNoEntry: false }) !== undefined;
    const reason = isLost ? "it is a link into a folder that does not exist" : (code ?? messageOf(error));
    throw new UserError(
      `GAME_FILE=${given} cannot be written (${reason}). Name a file in a writable directory.`,
    );
  }
};

/** @throws UserError if a file has hard links, because SQLite's log and the lock are named after the path in use */
const assertOneName = (file: string, given: string): void => {
  const { nlink } = statSync(file);
  if (nlink === 1) return;
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
    assertOneName(file, place.file);
    const files = {
      lock: `${file}.lock`,
      record: `${file}.run.json`,
      keys: `${file}.keys.json`,
      backlog: backlogOf(file),
    };
    const databases = [file, files.backlog].flatMap((path) => [path, `${path}-wal`, `${path}-shm`]);
    makePrivate([...databases, ...Object.values(files)]);
    return { file, ...files, mail: join(dirname(file), "mail"), name: `GAME_FILE=${place.file}` };
  }
  const service = join(local, `${place.kind}-${port}`);
  const isKept = place.kind === "endpoint";
  return {
    file: null,
    record: `${service}.run.json`,
    keys: isKept ? join(local, "keys.json") : null,
    backlog: isKept ? `${service}.backlog` : ":memory:",
    mail: `${service}.mail`,
    lock: `${service}.lock`,
    name: place.kind === "memory" ? `GAME_FILE=:memory: PORT=${port}` : `PORT=${port}`,
  };
};

export interface GameLock {
  release(): void;
}

/** SQLite's result code when another connection has the lock. */
const SQLITE_BUSY = 5;
/** Two processes that lock at the same instant see each other as busy. With a pause, one of them succeeds. */
const RETRY_MS = 50;

const SqliteError = z.object({ errcode: z.number() });

/**
 * Acquires the lock of a game; returns null if it is taken. The lock is an exclusive transaction of SQLite on an empty
 * file. The system releases it when its process ends in any way.
 * @throws UserError if the lock file cannot be used
 */
export const acquireGameLock = ({ lock }: Pick<Game, "lock">): GameLock | null => {
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(dirname(lock));
    database = new DatabaseSync(lock, { timeout: RETRY_MS });
    makePrivate([lock]);
    database.exec("BEGIN EXCLUSIVE");
    const locked = database;
    return {
      release: () => {
        if (locked.isOpen) locked.close();
      },
    };
  } catch (error) {
    database?.close();
    if (SqliteError.safeParse(error).data?.errcode === SQLITE_BUSY) return null;
    if (messageOf(error).includes(FULL)) throw new UserError(diskFullMessage(lock));
    throw new UserError(
      `The lock file ${lock} cannot be used (${messageOf(error)}). It belongs to another account, or is damaged. ` +
        "Remove it if no command uses the game.",
    );
  }
};
