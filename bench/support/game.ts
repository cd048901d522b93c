/** Opens a game on the embedded engine. Its handlers run in this process, and the units that they consume are counted. */
import { randomUUID } from "node:crypto";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import type { Game as GameState } from "../../lib/domain/game/game.ts";
import type { Consumption } from "../../lib/dynamodb/capacity.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { openStore } from "../../lib/store/store.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { lambdaContext, loadEndpoints } from "../../scripts/local/inProcess.ts";
import { createTable } from "../../scripts/local/table.ts";
import { CURSOR_KEY, MAIL_KEY, VAPID } from "../../tests/support/constants.ts";
import { CHEAP } from "../../tests/support/cost.ts";
import { eventOf, type RequestOptions } from "./events.ts";

/** Also of the examples of the documentation. */
export const PASSWORD = "correct horse battery";

/** A player who is logged in. */
export interface Account {
  id: string;
  alias: string;
  token: string;
  /** The tag code. */
  code: string;
}

/** Capacity units; those of each index are included. */
export interface Units {
  read: number;
  write: number;
  indexes: Record<string, number>;
}

export interface Game {
  services: Services;
  place: { endpoint: string; table: string };
  /** Calls an endpoint. @returns the body; @throws Error unless it succeeds */
  // biome-ignore lint/suspicious/noExplicitAny: a bench asserts what it reads
  call: (route: string, options?: RequestOptions) => Promise<any>;
  /** Runs work and returns the units that it consumed, and its calls of the database. */
  measure: (work: () => Promise<unknown>) => Promise<Units & { calls: number }>;
  join: (alias: string) => Promise<Account>;
  admin: (alias: string) => Promise<Account>;
  /** Moves the game's clock forward. */
  pass: (milliseconds: number) => Promise<void>;
  close: () => Promise<void>;
}

export interface GameOptions {
  /** Remaining milliseconds of an invocation. */
  timeLeft?: () => number;
  shards?: number;
  /** Wraps the database of the store. */
  between?: (usual: Database, place: Game["place"]) => Database;
  /** Called with the consumed capacity of each call of the database. */
  consumed?: (one: Consumption) => void;
}

/** Opens a new game in memory. */
export const openGame = async ({
  timeLeft = () => 20_000,
  shards = 1,
  between = (usual) => usual,
  consumed = () => {},
}: GameOptions): Promise<Game> => {
  process.env.LOG_LEVEL = "SILENT";
  process.env.POWERTOOLS_METRICS_DISABLED = "true";
  const { endpoint, stop } = await startEngine();
  const table = `bench-${randomUUID()}`;
  await createTable(endpoint, table);
  let measured: Consumption[] = [];
  const meter = {
    detail: "INDEXES" as const,
    consumed: (one: Consumption): void => {
      measured.push(one);
      consumed(one);
    },
  };
  // A request that finds no game kept for display costs most, and is what is measured.
  const store = openStore(between(openDatabase({ table, endpoint, meter }), { table, endpoint }), {
    shownGameMs: 0,
  });
  const change = async (how: (game: GameState) => Partial<GameState>): Promise<void> => {
    const before = await store.game();
    const after = { ...before, ...how(before) };
    await store.commit(await writesOf({ game: { before, after } }), () => 10_000);
  };
  /** Reads the game for display: the first such read after a write by this process is consistent, and costs more. */
  const settle = () => store.shownGame(Date.now());
  if (shards > 1) await change(() => ({ shards }));
  const env = parseEnv({ TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, ...VAPID, CURSOR_KEY, MAIL_KEY });
  // Messages are discarded here; `push` measures their delivery.
  const services = makeServices(env, { store, cost: CHEAP, queue: { send: async () => {} } });
  const handlers = await loadEndpoints();

  const call: Game["call"] = async (route, options = {}) => {
    const handler = handlers.get(route);
    if (handler === undefined) throw new Error(`there is no ${route}`);
    const event = eventOf({ route, from: "127.0.0.1", ...options });
    const { statusCode, body } = await handler.on(services)(event, lambdaContext(timeLeft));
    if (statusCode >= 300) throw new Error(`${route}: ${statusCode} ${body}`);
    return body === undefined || body === "" ? undefined : JSON.parse(String(body));
  };
  const login = async (alias: string, code: string): Promise<Account> => {
    const { player_id: id, token } = await call("POST /login", { body: { alias, password: PASSWORD } });
    return { id, alias, token, code };
  };
  return {
    services,
    place: { endpoint, table },
    call,
    async measure(work) {
      await settle();
      measured = [];
      await work();
      const sum: Units & { calls: number } = { read: 0, write: 0, indexes: {}, calls: measured.length };
      for (const { what, units, indexes } of measured) {
        sum[what] += units;
        for (const [name, own] of Object.entries(indexes)) sum.indexes[name] = (sum.indexes[name] ?? 0) + own;
      }
      return sum;
    },
    async join(alias) {
      const { tag_code } = await call("POST /new", { body: { alias, password: PASSWORD } });
      return login(alias, tag_code);
    },
    async admin(alias) {
      const context = commandContext(services, services.clock());
      await createAdministrator(services, { alias, password: PASSWORD, playing: false }, context);
      return login(alias, "");
    },
    async pass(milliseconds) {
      await change(({ offset }) => ({ offset: offset - milliseconds }));
      await settle();
    },
    close: stop,
  };
};
