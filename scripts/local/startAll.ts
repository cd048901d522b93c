/** Starts and stops a complete local service: engine, table, queue, keys, functions and pollers. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { buildWeb } from "../bundle/web.ts";
import type { Child } from "../cli/childProcess.ts";
import { assertPortFree, HOST } from "../cli/ports.ts";
import { announcer, type During } from "../cli/progress.ts";
import { sleep } from "../cli/sleep.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type Game, gameOf } from "./gameLock.ts";
import {
  assertFreeSpace,
  functionSettings,
  inUse,
  lockOrFindService,
  makeTable,
  openGameStore,
} from "./openLocal.ts";
import { startQueue } from "./queue.ts";
import { childRecord, removeRecord, stopLeftovers, writeRecord } from "./runFile.ts";
import { health, type ServiceOptions, startService } from "./service.ts";
import type { LocalSettings } from "./settings.ts";
import { readEventSources } from "./sources.ts";
import { openStreamRecords, type StreamRecords } from "./streamRecords.ts";
import { startWorkers, type Workers } from "./workers.ts";

/** A service that still responds after this time is not about to stop. */
const RUNNING_AFTER_MS = 1_500;
/** How long a start waits for the lock of a service that is stopping. */
const STOPPING_SERVICE_WAIT_MS = 30_000;

export interface RunningFunctions {
  /** How the process ended. */
  readonly ended: Promise<string>;
  /** The secret with which somebody becomes the first game master; `null` at a restart, or if there is a game master. */
  readonly setUpSecret: string | null;
}

export interface LocalService {
  readonly url: string;
  /** The URL of the database. */
  readonly endpoint: string;
  /** How the embedded engine ended; never resolves with another engine. */
  readonly engineEnded: Promise<string>;
  /**
   * Starts or restarts the functions.
   * @throws UserError if they do not start; the engine keeps running
   */
  serve(): Promise<RunningFunctions>;
  /** Stops everything in order; idempotent. */
  stop(): Promise<void>;
}

interface LocalDatabase {
  engine: Engine | null;
  endpoint: string;
  /** The stream records of the embedded engine; null for another engine. */
  records: StreamRecords | null;
}

/**
 * Starts the embedded engine, unless another one is set. A game in memory uses a temporary file, because stream
 * records can be removed only from a file.
 */
const startDatabase = async (
  settings: LocalSettings,
  game: Game,
  tempDir: string,
): Promise<LocalDatabase> => {
  if (settings.place.kind === "endpoint") {
    return { engine: null, endpoint: settings.place.endpoint, records: null };
  }
  const file = game.file ?? join(tempDir, "game.db");
  const engine = await startEngine({ file });
  try {
    const records = openStreamRecords(file, settings.given.TABLE_NAME);
    return { engine, endpoint: engine.endpoint, records };
  } catch (error) {
    await engine.stop();
    throw new UserError(`The stream in ${file} cannot be opened: ${messageOf(error)}.`);
  }
};

/**
 * Makes a set-up secret for the game in a table that exists; `null` if there is a game master.
 * @throws UserError if only a part of a game has been imported
 */
const makeSetUp = async (endpoint: string, settings: LocalSettings): Promise<string | null> => {
  const { makeSetUpSecret } = await import("../../lib/app/accounts/setUp.ts");
  const { requireNoImport } = await import("../archive/write.ts");
  const store = await openGameStore(endpoint, settings);
  await requireNoImport({ db: store.db, name: "the local game" });
  return makeSetUpSecret(store);
};

/** Acquires the lock. Waits for a service that is stopping. */
const lockOrWait = async (game: Game): Promise<Awaited<ReturnType<typeof lockOrFindService>>> => {
  const started = Date.now();
  while (true) {
    const holder = await lockOrFindService(game);
    const waited = Date.now() - started;
    if ("release" in holder || waited > STOPPING_SERVICE_WAIT_MS) return holder;
    if (waited > RUNNING_AFTER_MS && (await health(holder.url)) !== "unreachable") return holder;
    await sleep(50);
  }
};

/**
 * Acquires the lock and starts the engine; `serve` starts the functions.
 * @param during runs work with its name, for who waits for it
 * @throws UserError if the game or the port is in use, or the engine does not start; nothing is left running then
 */
export const startAll = async (
  settings: LocalSettings,
  onLine: ServiceOptions["onLine"],
  during: During = announcer(),
): Promise<LocalService> => {
  // Opening a game creates its file, which must not be left behind if the port is in use.
  if (settings.place.kind === "file" && !existsSync(settings.place.file)) await assertPortFree(settings.port);
  const game = gameOf(settings);
  const lock = await lockOrWait(game);
  if (!("release" in lock)) {
    throw new UserError(
      `${inUse(game, lock)} Stop that service, or set another GAME_FILE and PORT for this one.`,
    );
  }
  if (game.file !== null) await assertFreeSpace(game.file);
  await stopLeftovers(game.record);
  await assertPortFree(settings.port);
  const functions = await functionSettings(settings, game);
  const sources = readEventSources();
  const tempDir = await makeTempDir();
  const removeTempDir = (): Promise<void> => rm(tempDir, { recursive: true, force: true });
  const startingEngine = during("Starting the database", startDatabase(settings, game, tempDir));
  const startingQueue = startQueue(game.backlog);
  const undo = async (): Promise<void> => {
    const ignore = (): void => {};
    await startingEngine.then(({ engine, records }) => {
      records?.close();
      return engine?.stop();
    }, ignore);
    await startingQueue.then((queue) => queue.stop(), ignore);
    await removeTempDir();
  };
  const [{ engine, endpoint, records }, queue] = await Promise.all([startingEngine, startingQueue]).catch(
    async (error: unknown) => {
      await undo();
      throw error;
    },
  );
  const url = `http://${HOST}:${settings.port}`;
  const forFunctions = { ...functions, ...queue.settings, DYNAMODB_ENDPOINT: endpoint };

  let service: Child | null = null;
  const invocations = join(tempDir, "lambda");
  let isServing = false;
  let workers: Workers | null = null;

  // Writes are serialized, so that none happens after the removal.
  let recording = Promise.resolve();
  const record = (): Promise<void> => {
    recording = recording.then(() =>
      writeRecord(game.record, {
        pid: process.pid,
        url,
        settings: forFunctions,
        children: [service, engine?.process].flatMap((part) => (part ? [childRecord(part)] : [])),
        scratch: tempDir,
      }),
    );
    return recording;
  };
  await record();

  const stop = async (): Promise<void> => {
    await workers?.stop();
    await service?.stop();
    await queue.stop();
    records?.close();
    await engine?.stop();
    await removeTempDir();
    await recording;
    await removeRecord(game.record);
    lock.release();
  };

  const startPollers = (): Workers =>
    startWorkers({
      sources,
      backlog: queue.backlog,
      stream: { endpoint, table: settings.given.TABLE_NAME, region: settings.given.AWS_REGION },
      at: () => (isServing ? invocations : null),
      records,
      warn: (line) => onLine(line, "stderr"),
    });

  // A restart prints no second address, and leaves the first one valid.
  let isFirst = true;
  const prepareTable = async () => {
    const seeding = await makeTable(endpoint, settings);
    const setUpSecret = isFirst ? await makeSetUp(endpoint, settings) : null;
    isFirst = false;
    return { seeding, setUpSecret };
  };

  return {
    url,
    endpoint,
    engineEnded: engine?.process.ended ?? new Promise(() => {}),
    stop,
    async serve() {
      const before = service;
      [service, isServing] = [null, false];
      await before?.stop();
      const onStart = async (started: Child): Promise<void> => {
        service = started;
        await record();
      };
      const options = { port: settings.port, invocations, settings: forFunctions, onLine, onStart };
      const starting = startService(options);
      // The engine is ready before the functions, so the table is created meanwhile.
      const [started, { seeding, setUpSecret }] = await Promise.all([
        during("Starting the functions", starting),
        prepareTable(),
        during("Building the pages", buildWeb()),
      ]);
      if (seeding === "ignored")
        onLine(
          "Note: JOIN_CODE is ignored, because the game has its own setting: see its settings.",
          "stderr",
        );
      isServing = true;
      workers ??= startPollers();
      return { ended: started.ended, setUpSecret };
    },
  };
};
