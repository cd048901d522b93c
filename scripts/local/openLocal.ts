/** The local database as the tools reach it: the running service's, or the game's file opened for the moment. */

import { messageOf, UserError } from "../cli/userError.ts";
import { startEngine } from "./engine.ts";
import { acquireGameLock, type Game, type GameLock, gameOf } from "./gameLock.ts";
import { assertVapidPair, loadOrMakeKeys } from "./keys.ts";
import type { LocalQueue } from "./queue.ts";
import { type RunRecord, readRecord, stopLeftovers } from "./runFile.ts";
import type { FunctionSettings, LocalSettings } from "./settings.ts";
import { createTable } from "./table.ts";

const PATIENCE_MS = 10_000;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

/**
 * Takes the game, or finds the service that has it. Waits a moment for a tool that is at work on it.
 * @throws UserError when somebody else keeps it
 */
export const lockOrFindService = async (game: Game): Promise<GameLock | RunRecord> => {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const hold = await acquireGameLock(game);
    if (hold !== null) return hold;
    const record = await readRecord(game.record);
    if (record !== null && isAlive(record.pid)) return record;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new UserError(
    `${game.name} is in use by another command of this project: try again when it has ended.`,
  );
};

/**
 * The settings of the functions: what was given, and the keys kept with the game for the rest.
 * @throws UserError when keys do not fit together or cannot be kept
 */
export const functionSettings = async (settings: LocalSettings, game: Game): Promise<FunctionSettings> => {
  const { given } = settings;
  const kept = await loadOrMakeKeys(game.keys);
  const all = {
    ...given,
    CURSOR_KEY: given.CURSOR_KEY || kept.CURSOR_KEY,
    VAPID_PUBLIC_KEY: given.VAPID_PUBLIC_KEY || kept.VAPID_PUBLIC_KEY,
    VAPID_PRIVATE_KEY: given.VAPID_PRIVATE_KEY || kept.VAPID_PRIVATE_KEY,
  };
  assertVapidPair(all);
  return all;
};

/**
 * Makes the table where the settings say the database is, with its stream.
 * @throws UserError when that cannot be used
 */
export const makeTable = async (endpoint: string, settings: LocalSettings): Promise<void> => {
  const { TABLE_NAME, AWS_REGION } = settings.given;
  try {
    await createTable(endpoint, TABLE_NAME, { region: AWS_REGION, stream: true });
  } catch (error) {
    if (settings.place.kind !== "endpoint") throw error;
    throw new UserError(
      `DYNAMODB_ENDPOINT=${endpoint} cannot be used: ${messageOf(error)}. Start that engine, or leave the setting out for the embedded one.`,
    );
  }
};

export interface OpenedGame {
  /** The settings with which functions reach the database, by name. */
  readonly settings: { readonly [name: string]: string };
  close(): Promise<void>;
}

/**
 * The queue of the game, unless the settings name another.
 * @throws UserError when what waits on it cannot be read
 */
export const queueFor = async (settings: LocalSettings, game: Game): Promise<LocalQueue | null> => {
  const { TABLE_NAME, AWS_REGION, QUEUE_URL } = settings.given;
  if (QUEUE_URL !== "") return null;
  // Loaded only where it is needed: it takes a while.
  const { startQueue } = await import("./queue.ts");
  const kept = game.queue === null ? {} : { folder: game.queue };
  return startQueue({ table: TABLE_NAME, region: AWS_REGION, ...kept });
};

/** The settings by which functions reach the queue. */
export const queueSettings = (
  { given }: LocalSettings,
  queue: LocalQueue | null,
): Pick<FunctionSettings, "QUEUE_URL" | "QUEUE_ENDPOINT"> =>
  queue === null ? given : { QUEUE_URL: queue.url, QUEUE_ENDPOINT: queue.endpoint };

interface OpenOptions {
  /** Whether something may be put on the queue; it waits there for the next start. */
  withQueue?: boolean;
}

const openForTheMoment = async (
  settings: LocalSettings,
  game: Game,
  { withQueue = false }: OpenOptions,
): Promise<OpenedGame> => {
  if (settings.place.kind === "memory") {
    throw new UserError(
      `No service runs with ${game.name}, and memory keeps nothing: run npm start with it first.`,
    );
  }
  await stopLeftovers(game.record);
  const functions = await functionSettings(settings, game);
  const engine = game.file === null ? null : await startEngine({ file: game.file });
  // Whoever opened it may end on a fault without closing.
  engine?.process.unref();
  const endpoint = engine?.endpoint ?? (settings.place.kind === "endpoint" ? settings.place.endpoint : "");
  let queue: LocalQueue | null = null;
  const close = async (): Promise<void> => {
    await queue?.stop();
    await engine?.stop();
  };
  try {
    await makeTable(endpoint, settings);
    if (withQueue) queue = await queueFor(settings, game);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    settings: { ...functions, ...queueSettings(settings, queue), DYNAMODB_ENDPOINT: endpoint },
    close,
  };
};

/**
 * Opens the local database; close it afterwards.
 * @throws UserError when it cannot be had
 */
export const openLocal = async (settings: LocalSettings, options: OpenOptions = {}): Promise<OpenedGame> => {
  const game = gameOf(settings);
  const holder = await lockOrFindService(game);
  if (!("release" in holder)) return { settings: holder.settings, close: async () => {} };
  try {
    const opened = await openForTheMoment(settings, game, options);
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
