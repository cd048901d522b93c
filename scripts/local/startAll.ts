/** A whole local service: its engine, table, queue, keys, functions and pollers, up together and down together. */
import { rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Child } from "../cli/childProcess.ts";
import { assertPortFree, HOST } from "../cli/ports.ts";
import { diskFullMessage } from "../cli/storageErrors.ts";
import { makeTempDir } from "../cli/tempDir.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type Game, gameOf } from "./gameLock.ts";
import { functionSettings, lockOrFindService, makeTable, queueFor, queueSettings } from "./openLocal.ts";
import { childRecord, removeRecord, stopLeftovers, writeRecord } from "./runFile.ts";
import { type ServiceOptions, startService } from "./service.ts";
import type { LocalSettings } from "./settings.ts";
import { readEventSources } from "./sources.ts";
import { openStreamRecords, type StreamRecords } from "./streamRecords.ts";
import { openCheckpoint } from "./streamSource.ts";
import { startWorkers, type Workers } from "./workers.ts";

const PATIENCE_MS = 1_500;

/** The functions, once they answer. */
export interface RunningFunctions {
  /** How they ended, in words. */
  readonly ended: Promise<string>;
}

export interface LocalService {
  readonly url: string;
  /** Where its database answers. */
  readonly endpoint: string;
  /** How the engine ended, in words, when it did so by itself. */
  readonly engineEnded: Promise<string>;
  /**
   * Starts the functions, or starts them anew.
   * @throws UserError when they do not start; the engine goes on
   */
  serve(): Promise<RunningFunctions>;
  /** Ends everything in order; harmless twice. */
  stop(): Promise<void>;
}

interface Place {
  engine: Engine | null;
  endpoint: string;
  /** What the engine keeps of the stream, when it is the embedded one. */
  records: StreamRecords | null;
}

/**
 * Starts the embedded engine, unless there is another. A game in memory is a file there too: only so can what the
 * engine keeps of the stream be got rid of.
 */
const placeFor = async (settings: LocalSettings, game: Game, scratch: string): Promise<Place> => {
  if (settings.place.kind === "endpoint") {
    return { engine: null, endpoint: settings.place.endpoint, records: null };
  }
  const file = game.file ?? join(scratch, "game.db");
  const engine = await startEngine({ file });
  try {
    const records = openStreamRecords(file, settings.given.TABLE_NAME);
    return { engine, endpoint: engine.endpoint, records };
  } catch (error) {
    await engine.stop();
    throw new UserError(`The stream in ${file} cannot be opened: ${messageOf(error)}.`);
  }
};

/** Enough for the files beside the game that a start makes. */
const ROOM_BYTES = 1024 * 1024;

/** @throws UserError when the disk with the game is full */
const assertRoom = async (file: string): Promise<void> => {
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize < ROOM_BYTES) throw new UserError(diskFullMessage(file));
};

/** Takes the game, also from a service that is just ending. */
const holdSoon = async (game: Game): Promise<Awaited<ReturnType<typeof lockOrFindService>>> => {
  const until = Date.now() + PATIENCE_MS;
  while (true) {
    const holder = await lockOrFindService(game);
    if ("release" in holder || Date.now() > until) return holder;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/**
 * Takes the game and starts its engine; the functions follow with `serve`.
 * @throws UserError when the game or the port is taken, or the engine does not start; nothing is left then
 */
export const startAll = async (
  settings: LocalSettings,
  onLine: ServiceOptions["onLine"],
): Promise<LocalService> => {
  const game = gameOf(settings);
  const hold = await holdSoon(game);
  if (!("release" in hold)) {
    throw new UserError(
      `${game.name} is in use by the service on ${hold.url} (process ${hold.pid}): stop that one, or give this one a GAME_FILE and PORT of its own.`,
    );
  }
  if (game.file !== null) await assertRoom(game.file);
  await stopLeftovers(game.record);
  await assertPortFree(settings.port);
  const functions = await functionSettings(settings, game);
  const sources = readEventSources();
  const scratch = await makeTempDir();
  const removeScratch = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  const placing = placeFor(settings, game, scratch);
  const queueing = queueFor(settings, game);
  const undo = async (): Promise<void> => {
    const ignore = (): void => {};
    await placing.then(({ engine, records }) => {
      records?.close();
      return engine?.stop();
    }, ignore);
    await queueing.then((queue) => queue?.stop(), ignore);
    await removeScratch();
  };
  const [{ engine, endpoint, records }, queue] = await Promise.all([placing, queueing]).catch(
    async (error: unknown) => {
      await undo();
      throw error;
    },
  );
  const url = `http://${HOST}:${settings.port}`;
  const queuePlace = queueSettings(settings, queue);
  const forFunctions = { ...functions, ...queuePlace, DYNAMODB_ENDPOINT: endpoint };

  let service: Child | null = null;
  const invocations = join(scratch, "lambda");
  let isServing = false;
  let workers: Workers | null = null;

  // One after the other, so that none comes after its removal.
  let recording = Promise.resolve();
  const record = (): Promise<void> => {
    recording = recording.then(() =>
      writeRecord(game.record, {
        pid: process.pid,
        url,
        settings: forFunctions,
        children: [service, engine?.process].flatMap((part) => (part ? [childRecord(part)] : [])),
        scratch,
      }),
    );
    return recording;
  };
  await record();

  const stop = async (): Promise<void> => {
    await workers?.stop();
    await service?.stop();
    await queue?.stop();
    records?.close();
    await engine?.stop();
    await removeScratch();
    await recording;
    await removeRecord(game.record);
    hold.release();
  };

  const startPollers = (): Workers =>
    startWorkers({
      sources,
      queue: { url: queuePlace.QUEUE_URL, endpoint: queuePlace.QUEUE_ENDPOINT || undefined },
      stream: { endpoint, table: settings.given.TABLE_NAME, checkpoint: openCheckpoint(game.stream) },
      region: settings.given.AWS_REGION,
      at: () => (isServing ? invocations : null),
      onRead: (_shard, position) => records?.read(position),
      warn: (line) => onLine(line, "stderr"),
      wake: () => queue?.wake(),
    });

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
      // The engine is ready long before the functions are: both work at once.
      const [started] = await Promise.all([
        startService({ port: settings.port, invocations, settings: forFunctions, onLine, onStart }),
        makeTable(endpoint, settings),
      ]);
      isServing = true;
      workers ??= startPollers();
      return { ended: started.ended };
    },
  };
};
