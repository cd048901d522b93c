/** A whole local service: its engine, table, keys and functions, up together and down together. */
import { type Engine, startEngine } from "./engine.ts";
import { type Game, gameOf } from "./hold.ts";
import { functionSettings, holdOrFind, makeTable } from "./open.ts";
import { assertPortFree, HOST } from "./ports.ts";
import { child, endLeftovers, removeRecord, writeRecord } from "./record.ts";
import { type ServiceOptions, startService } from "./service.ts";
import type { LocalSettings } from "./settings.ts";
import type { Tethered } from "./tethered.ts";
import { UserError } from "./userError.ts";

const PATIENCE_MS = 1_500;

/** The functions, once they answer. */
export interface Service {
  /** How they ended, in words. */
  readonly ended: Promise<string>;
}

export interface Up {
  readonly url: string;
  /** Where its database answers. */
  readonly endpoint: string;
  /** How the engine ended, in words, when it did so by itself. */
  readonly engineEnded: Promise<string>;
  /**
   * Starts the functions, or starts them anew.
   * @throws UserError when they do not start; the engine goes on
   */
  serve(): Promise<Service>;
  /** Ends everything in order; harmless twice. */
  stop(): Promise<void>;
}

const engineFor = async (settings: LocalSettings, game: Game): Promise<Engine | null> => {
  if (settings.place.kind === "endpoint") return null;
  return startEngine(game.file === null ? {} : { file: game.file });
};

/** Takes the game, also from a service that is just ending. */
const holdSoon = async (game: Game): Promise<Awaited<ReturnType<typeof holdOrFind>>> => {
  const until = Date.now() + PATIENCE_MS;
  while (true) {
    const holder = await holdOrFind(game);
    if ("release" in holder || Date.now() > until) return holder;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/**
 * Takes the game and starts its engine; the functions follow with `serve`.
 * @throws UserError when the game or the port is taken, or the engine does not start; nothing is left then
 */
export const bringUp = async (settings: LocalSettings, onLine: ServiceOptions["onLine"]): Promise<Up> => {
  const game = gameOf(settings);
  const hold = await holdSoon(game);
  if (!("release" in hold)) {
    throw new UserError(
      `${game.name} is in use by the service on ${hold.url} (process ${hold.pid}): stop that one, or give this one a GAME_FILE and PORT of its own.`,
    );
  }
  await endLeftovers(game.record);
  await assertPortFree(settings.port);
  const functions = await functionSettings(settings, game);
  const engine = await engineFor(settings, game);
  const endpoint = engine?.endpoint ?? (settings.place.kind === "endpoint" ? settings.place.endpoint : "");
  const url = `http://${HOST}:${settings.port}`;
  const forFunctions = { ...functions, DYNAMODB_ENDPOINT: endpoint };

  let service: Tethered | null = null;

  // One after the other, so that none comes after its removal.
  let recording = Promise.resolve();
  const record = (): Promise<void> => {
    recording = recording.then(() =>
      writeRecord(game.record, {
        pid: process.pid,
        url,
        settings: forFunctions,
        children: [service, engine?.process].flatMap((part) => (part ? [child(part)] : [])),
      }),
    );
    return recording;
  };
  await record();

  const stop = async (): Promise<void> => {
    await service?.stop();
    await engine?.stop();
    await recording;
    await removeRecord(game.record);
    hold.release();
  };

  return {
    url,
    endpoint,
    engineEnded: engine?.process.ended ?? new Promise(() => {}),
    stop,
    async serve() {
      const before = service;
      service = null;
      await before?.stop();
      const onStart = async (started: Tethered): Promise<void> => {
        service = started;
        await record();
      };
      // The engine is ready long before the functions are: both work at once.
      const [started] = await Promise.all([
        startService({ port: settings.port, settings: forFunctions, onLine, onStart }),
        makeTable(endpoint, settings),
      ]);
      return { ended: started.ended };
    },
  };
};
