/** The local database as the tools reach it: the running service's, or the game's file opened for the moment. */
import { startEngine } from "./engine.ts";
import { type Game, gameOf, type Hold, takeHold } from "./hold.ts";
import { assertVapidPair, keptKeys } from "./keys.ts";
import { endLeftovers, type Record, readRecord } from "./record.ts";
import type { FunctionSettings, LocalSettings } from "./settings.ts";
import { createTable } from "./table.ts";
import { messageOf, UserError } from "./userError.ts";

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
export const holdOrFind = async (game: Game): Promise<Hold | Record> => {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const hold = await takeHold(game);
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
  const kept = await keptKeys(game.keys);
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
 * Makes the table where the settings say the database is.
 * @throws UserError when that cannot be used
 */
export const makeTable = async (endpoint: string, settings: LocalSettings): Promise<void> => {
  const { TABLE_NAME, AWS_REGION } = settings.given;
  try {
    await createTable(endpoint, TABLE_NAME, AWS_REGION);
  } catch (error) {
    if (settings.place.kind !== "endpoint") throw error;
    throw new UserError(
      `DYNAMODB_ENDPOINT=${endpoint} cannot be used: ${messageOf(error)}. Start that engine, or leave the setting out for the embedded one.`,
    );
  }
};

export interface Opened {
  /** The settings with which functions reach the database, by name. */
  readonly settings: { readonly [name: string]: string };
  close(): Promise<void>;
}

const openForTheMoment = async (settings: LocalSettings, game: Game): Promise<Opened> => {
  if (settings.place.kind === "memory") {
    throw new UserError(
      `No service runs with ${game.name}, and memory keeps nothing: run npm start with it first.`,
    );
  }
  await endLeftovers(game.record);
  const functions = await functionSettings(settings, game);
  const engine = game.file === null ? null : await startEngine({ file: game.file });
  // Whoever opened it may end on a fault without closing.
  engine?.process.unref();
  const endpoint = engine?.endpoint ?? (settings.place.kind === "endpoint" ? settings.place.endpoint : "");
  try {
    await makeTable(endpoint, settings);
  } catch (error) {
    await engine?.stop();
    throw error;
  }
  return {
    settings: { ...functions, DYNAMODB_ENDPOINT: endpoint },
    close: async () => {
      await engine?.stop();
    },
  };
};

/**
 * Opens the local database; close it afterwards.
 * @throws UserError when it cannot be had
 */
export const openLocal = async (settings: LocalSettings): Promise<Opened> => {
  const game = gameOf(settings);
  const holder = await holdOrFind(game);
  if (!("release" in holder)) return { settings: holder.settings, close: async () => {} };
  try {
    const opened = await openForTheMoment(settings, game);
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
