/**
 * Opens the local database for a command: through the running service, or by starting the engine on the game's file.
 */
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Seeding } from "../../lib/app/game/seedJoinCode.ts";
import { OUTBOX } from "../../lib/runtime/mailUrl.ts";
import type { Store } from "../../lib/store/store.ts";
import { sleep } from "../cli/sleep.ts";
import { diskFullMessage } from "../cli/storageErrors.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { startEngine } from "./engine.ts";
import { acquireGameLock, type Game, type GameLock, gameOf } from "./gameLock.ts";
import { isAlive } from "./isAlive.ts";
import { assertVapidPair, loadOrMakeKeys, mailKeyOf } from "./keys.ts";
import { type LocalQueue, startQueue } from "./queue.ts";
import { type RunRecord, readRecord, stopLeftovers } from "./runFile.ts";
import type { FunctionSettings, LocalSettings } from "./settings.ts";
import { createTable } from "./table.ts";

/** Covers the start of a service, which holds the lock before it can be found. */
const LOCK_WAIT_MS = 30_000;

/**
 * Acquires the game's lock, or finds the service that holds it. Waits for another command that holds it.
 * @throws UserError if another command keeps the lock
 */
export const lockOrFindService = async (game: Game): Promise<GameLock | RunRecord> => {
  const until = Date.now() + LOCK_WAIT_MS;
  while (Date.now() < until) {
    const lock = acquireGameLock(game);
    if (lock !== null) return lock;
    const record = await readRecord(game.record);
    if (record !== null && isAlive(record.pid)) return record;
    await sleep(50);
  }
  throw new UserError(
    `${game.name} is in use by another command of this project. Try again when it has finished.`,
  );
};

/** The free disk space that a game needs for the files next to it. With less, its table may be created in part. */
const MIN_FREE_BYTES = 1024 * 1024;

/** @throws UserError if the disk is full */
export const assertFreeSpace = async (file: string): Promise<void> => {
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize < MIN_FREE_BYTES) throw new UserError(diskFullMessage(file));
};

/** The start of the message about a game whose service is running. */
export const inUse = ({ name }: Game, { url, pid }: RunRecord): string =>
  `${name} is in use by the service on ${url} (process ${pid}).`;

/**
 * Returns the settings of the functions, with the stored keys as defaults.
 * @throws UserError if keys do not match or cannot be stored
 */
export const functionSettings = async (settings: LocalSettings, game: Game): Promise<FunctionSettings> => {
  const { given } = settings;
  const kept = await loadOrMakeKeys(game.keys);
  const all = {
    ...given,
    CURSOR_KEY: given.CURSOR_KEY || kept.CURSOR_KEY,
    MAIL_KEY: given.MAIL_KEY || mailKeyOf(kept.CURSOR_KEY),
    MAIL_URL: given.MAIL_URL === OUTBOX ? `${OUTBOX}${game.mail}` : given.MAIL_URL,
    VAPID_PUBLIC_KEY: given.VAPID_PUBLIC_KEY || kept.VAPID_PUBLIC_KEY,
    VAPID_PRIVATE_KEY: given.VAPID_PRIVATE_KEY || kept.VAPID_PRIVATE_KEY,
  };
  assertVapidPair(all);
  return all;
};

/** Opens the store. Imported on demand, because few commands need it. */
export const openGameStore = async (endpoint: string, { given }: LocalSettings): Promise<Store> => {
  const [{ openDatabase }, { openStore }] = await Promise.all([
    import("../../lib/dynamodb/client.ts"),
    import("../../lib/store/store.ts"),
  ]);
  // The client reads it.
  process.env.AWS_REGION = given.AWS_REGION;
  return openStore(openDatabase({ table: given.TABLE_NAME, endpoint }));
};

/** Writes the join code of the settings into the game, unless there is none or the game has its own setting. */
const writeJoinCode = async (endpoint: string, settings: LocalSettings): Promise<Seeding | null> => {
  if (settings.joinCode === "") return null;
  const { seedJoinCode } = await import("../../lib/app/game/seedJoinCode.ts");
  return seedJoinCode(await openGameStore(endpoint, settings), settings.joinCode, Date.now());
};

/**
 * Creates the table and its stream, if necessary, and writes the join code of the settings into a new game.
 * @returns what became of the join code; `null` if there is none
 * @throws UserError if the database cannot be used
 */
export const makeTable = async (endpoint: string, settings: LocalSettings): Promise<Seeding | null> => {
  const { TABLE_NAME, AWS_REGION } = settings.given;
  try {
    await createTable(endpoint, TABLE_NAME, { region: AWS_REGION, stream: true });
    return await writeJoinCode(endpoint, settings);
  } catch (error) {
    if (settings.place.kind !== "endpoint") throw error;
    throw new UserError(
      `DYNAMODB_ENDPOINT=${endpoint} cannot be used: ${messageOf(error)}. Start that engine, or remove the setting to use the embedded one.`,
    );
  }
};

export interface OpenedGame {
  /** The settings with which functions reach the database. */
  readonly settings: { readonly [name: string]: string };
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether messages may be sent; without a running service, they wait in the queue for the next start. */
  withQueue?: boolean;
  /** Whether a running service is an error, except that of a game in memory, which exists only in its service. */
  withoutService?: boolean;
  /** Whether a game that has no file yet is an error: the command reads one that was played. */
  mustExist?: boolean;
}

const openTemporarily = async (
  settings: LocalSettings,
  game: Game,
  { withQueue = false }: OpenOptions,
): Promise<OpenedGame> => {
  if (settings.place.kind === "memory") {
    throw new UserError(
      `No service is running with ${game.name}, and a game in memory is not stored. Run npm start with it first.`,
    );
  }
  if (game.file !== null) await assertFreeSpace(game.file);
  await stopLeftovers(game.record);
  const functions = await functionSettings(settings, game);
  const engine = game.file === null ? null : await startEngine({ file: game.file });
  // The command may end with an error and without closing the engine.
  engine?.process.unref();
  const endpoint = engine?.endpoint ?? (settings.place.kind === "endpoint" ? settings.place.endpoint : "");
  let queue: LocalQueue | null = null;
  const close = async (): Promise<void> => {
    await queue?.stop();
    await engine?.stop();
  };
  try {
    await makeTable(endpoint, settings);
    if (withQueue) queue = await startQueue(game.backlog);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    settings: { ...functions, ...queue?.settings, DYNAMODB_ENDPOINT: endpoint },
    close,
  };
};

/**
 * Opens the local database. Call `close` afterwards.
 * @throws UserError if it cannot be opened
 */
export const openLocal = async (settings: LocalSettings, options: OpenOptions = {}): Promise<OpenedGame> => {
  const { place } = settings;
  if (options.mustExist === true && place.kind === "file" && !existsSync(place.file))
    throw new UserError(`There is no game in GAME_FILE=${place.file}. Name the file of your game.`);
  const game = gameOf(settings);
  const holder = await lockOrFindService(game);
  if (!("release" in holder)) {
    if (options.withoutService === true && place.kind !== "memory") {
      throw new UserError(`${inUse(game, holder)} Stop that service first.`);
    }
    return { settings: holder.settings, close: async () => {} };
  }
  try {
    const opened = await openTemporarily(settings, game, options);
    return {
      settings: opened.settings,
      close: async () => {
        await opened.close();
        holder.release();
      },
    };
  } catch (error) {
    holder.release();
    throw error;
  }
};
