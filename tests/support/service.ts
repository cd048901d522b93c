/** The service under test, on a real local engine: in process, or over HTTP through serverless offline. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { setRoles } from "../../lib/auth/roles.ts";
import type { Game } from "../../lib/domain/game/game.ts";
import type { Player } from "../../lib/domain/players/player.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import type { Queue } from "../../lib/queue/queue.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { SHOWN_GAME_MS } from "../../lib/store/shownGame.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import {
  gatewayEvent,
  type HttpRequest,
  lambdaContext,
  loadEndpoints,
} from "../../scripts/local/inProcess.ts";
import { createTable } from "../../scripts/local/table.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { type BeforeCall, beforeCalls } from "./beforeCalls.ts";
import { asFunction, asWorker, recorded, recordedQueue, withRecordedKeys } from "./calls.ts";
import { CURSOR_KEY, MAIL_KEY, VAPID } from "./constants.ts";
import { CHEAP } from "./cost.ts";
import { clientOf, connectDirectly } from "./directClient.ts";
import { requireDocumented } from "./documented.ts";
import { openEngine, SHARED_ENGINE } from "./engine.ts";
import { memoryQueue, type ServiceBacklog, untilAnnounced, untilWorkedOff, withBacklog } from "./queue.ts";
import { running, TRANSPORT } from "./running.ts";
import { fill } from "./table.ts";

/** A response, with its JSON where it has some. Loosely typed: tests assert what they expect. */
export interface Result {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as received. */
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what they read
  body: any;
}

/** A player who is logged in. */
export interface TestPlayer {
  id: string;
  alias: string;
  password: string;
  token: string;
  /** The tag code at registration; `null` for a spectator. */
  code: string | null;
}

export interface RequestOptions {
  as?: TestPlayer | null;
  /** The parameter of the path; the caller's id by default. */
  id?: string;
  body?: unknown;
  /** The body as it is, with its own content type. */
  raw?: { body: string | Buffer; type?: string };
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** Idempotency-Key. */
  key?: string | undefined;
  /** The address that the gateway sees; in process only. */
  from?: string;
}

const resultOf = (status: number, headers: Record<string, string>, bytes: Buffer): Result => {
  const text = bytes.toString();
  const json = headers["content-type"]?.includes("json") === true && text !== "";
  return { status, headers, text, bytes, body: json ? JSON.parse(text) : undefined };
};

/** Values as they are sent. */
const texts = (values: Record<string, unknown> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const NAMES = new Map(listedFunctions().map(({ route, name }) => [route, name]));

const sendInProcess = async (
  handlers: ReadonlyMap<string, Handler>,
  request: HttpRequest,
  services: Services,
  timeLeft?: () => number,
): Promise<Result> => {
  const { route } = request;
  const handler = handlers.get(route);
  if (handler === undefined) return resultOf(404, {}, Buffer.alloc(0));
  const response = await asFunction(NAMES.get(route) ?? route, () =>
    handler.on(services)(gatewayEvent(request), lambdaContext(timeLeft)),
  );
  const { statusCode, cookies, body = "", isBase64Encoded } = response;
  const cookie = cookies === undefined ? {} : { "set-cookie": cookies.join(", ") };
  const bytes = Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
  return resultOf(statusCode, { ...texts(response.headers), ...cookie }, bytes);
};

const sendOverHttp = async ({ route, path, headers, query, body }: HttpRequest): Promise<Result> => {
  const search = new URLSearchParams(query);
  const [method = ""] = route.split(" ");
  const url = `${running().base}${path}${search.size > 0 ? `?${search}` : ""}`;
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const bytes = Buffer.from(await response.arrayBuffer());
  return resultOf(response.status, Object.fromEntries(response.headers), bytes);
};

const dropTable = (endpoint: string, TableName: string): Promise<unknown> =>
  clientOf(endpoint)
    .send(new DeleteTableCommand({ TableName }))
    .catch((error: Error) => {
      if (error.name !== "ResourceNotFoundException") throw error;
    });

/** A player for each name. */
type Each<T extends readonly unknown[]> = { [K in keyof T]: TestPlayer };

/** The password of every player who is registered here. */
export const PASSWORD = "correct horse battery";

export interface Overrides {
  /** The time at which the service's clock stands until a test moves it, in ms since 1970; in process only. */
  at?: number;
  /** Services that replace the usual ones; in process only. */
  services?: (usual: Services) => Partial<Services>;
  /** Another database between the store and the engine; in process only. */
  database?: (usual: Database) => Database;
}

/** The environment of a test. */
export type TestEnvironment = ReturnType<typeof testEnvironment>;

/** A test environment on a table of its own, new for every test. */
export const testEnvironment = ({ at, database, ...overrides }: Overrides = {}) => {
  let endpoint = "";
  let table = "";
  let stop = async (): Promise<void> => {};
  let services: Services | undefined;
  let handlers: Map<string, Handler> = new Map();
  let queue = memoryQueue();
  /** How far the service's clock is ahead, in milliseconds. */
  let ahead = 0;

  const current = (): Services => {
    if (services === undefined) throw new Error("the test environment is used outside a test");
    return services;
  };

  beforeAll(async () => {
    if (TRANSPORT === "http") {
      ({ engine: endpoint, table } = running());
    } else {
      ({ endpoint, stop } = await openEngine());
      handlers = await loadEndpoints();
    }
  });
  afterAll(() => stop());
  afterEach(async () => {
    // An engine of the test's own ends with its tables.
    if (TRANSPORT === "in process" && SHARED_ENGINE !== undefined) await dropTable(endpoint, table);
  });

  const backlog = (): ServiceBacklog => ({ endpoint, table, file: running().backlog });

  /** Over HTTP, all tests have the same table. */
  const emptyTable = async (): Promise<void> => {
    await dropTable(endpoint, table);
    await createTable(endpoint, table, { stream: true });
    await withBacklog(running().backlog, (kept) => kept.purge());
  };

  beforeEach(async () => {
    if (TRANSPORT === "http") {
      await untilAnnounced(backlog());
      await emptyTable();
    } else {
      table = `test-${randomUUID()}`;
      await createTable(endpoint, table, { client: clientOf(endpoint) });
    }
    const opened = openDatabase({
      table,
      endpoint,
      configureClient: (client) => {
        recorded(client);
        if (TRANSPORT === "in process" && SHARED_ENGINE === undefined) connectDirectly(client, endpoint);
      },
    });
    queue = memoryQueue();
    ahead = 0;
    Object.assign(environment, { hasQueue: true, beforeCall: undefined, timeLeft: undefined });
    const send: Queue["send"] = async (messages) => {
      if (!environment.hasQueue) throw new Error("the queue is unavailable");
      await queue.queue.send(messages);
    };
    const watched = beforeCalls(database?.(opened) ?? opened, () => environment.beforeCall);
    const settings = { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, ...VAPID, CURSOR_KEY, MAIL_KEY };
    const usual = withRecordedKeys(
      makeServices(parseEnv(settings), {
        store: openStore(watched),
        cost: CHEAP,
        queue: recordedQueue({ send }),
        clock: () => (at ?? Date.now()) + ahead,
      }),
    );
    services = { ...usual, ...overrides.services?.(usual) };
    if (TRANSPORT === "http") {
      // The service shows for a second the game that it has read, and to a game master always the present one.
      await must("GET /game/{url_id}", { as: await admin() });
      await emptyTable();
      // Each package is a process of its own.
      if (process.env.PACKAGES_FOLDER !== undefined) await setTimeout(SHOWN_GAME_MS);
    }
  });

  const call = async (route: string, options: RequestOptions = {}): Promise<Result> => {
    const { as, raw, key, from: address = "127.0.0.1" } = options;
    const id = options.id ?? as?.id ?? randomUUID();
    const path = route.replace(/^\w+ /, "").replace(/\{\w+\}$/, encodeURIComponent(id));
    const body = raw === undefined ? JSON.stringify(options.body) : raw.body;
    const type = raw === undefined ? "application/json" : raw.type;
    const headers = {
      ...(as ? { authorization: `Bearer ${as.token}` } : {}),
      ...(body === undefined || type === undefined ? {} : { "content-type": type }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...options.headers,
    };
    const request = { route, path, headers, query: texts(options.query), body, address };
    const result =
      TRANSPORT === "http"
        ? await sendOverHttp(request)
        : await sendInProcess(handlers, request, current(), environment.timeLeft);
    requireDocumented(route, result);
    return result;
  };

  /** Sends a request that must succeed. */
  const must = async (route: string, options: RequestOptions): Promise<Result> => {
    const result = await call(route, options);
    if (result.status >= 300) throw new Error(`${route}: ${result.status} ${result.text}`);
    return result;
  };

  const login = async (alias: string, password: string): Promise<TestPlayer> => {
    const { body } = await must("POST /login", { body: { alias, password } });
    return { id: body.player_id, alias: body.alias, password, token: body.token, code: null };
  };

  /** Registers a human and logs in. */
  const join = async (alias: string, password = PASSWORD): Promise<TestPlayer> => {
    const { body } = await must("POST /new", { body: { alias, password, login: true } });
    return { id: body.player_id, alias: body.alias, password, token: body.token, code: body.tag_code };
  };

  /** Registers several humans, one after the other. */
  const joinAll = async <T extends string[]>(...aliases: T): Promise<Each<T>> => {
    const all: TestPlayer[] = [];
    for (const alias of aliases) all.push(await join(alias));
    return all as Each<T>;
  };

  /** Creates a game master and logs in. */
  const admin = async (alias = "Game Master", playing = false): Promise<TestPlayer> => {
    const context = commandContext(current(), current().clock());
    await createAdministrator(current(), { alias, password: PASSWORD, playing }, context);
    return login(alias, PASSWORD);
  };

  const change = async ({ id }: TestPlayer, changes: (before: Player) => Promise<Changes>): Promise<void> => {
    const { store } = current();
    const before = await store.player(id);
    if (before === null) throw new Error("no such player");
    await store.commit(await writesOf(await changes(before)), () => 10_000);
  };

  /** Makes an original zombie of a human. */
  const outbreak = async (as: TestPlayer, { id }: TestPlayer): Promise<void> => {
    for (const word of ["corpsify", "revive_z"])
      await must(`POST /admin/${word}/{url_id}`, { as, body: { player_id: id } });
  };

  const environment = {
    /** Whether the queue accepts messages. This and the next two are reset before each test; in process only. */
    hasQueue: true,
    /** Called before each call of the database, with the keys that it concerns; may throw, or delay the call. */
    beforeCall: undefined as BeforeCall | undefined,
    /** The remaining time of an invocation, as Lambda reports it, in milliseconds. */
    timeLeft: undefined as (() => number) | undefined,
    call,
    must,
    login,
    join,
    joinAll,
    admin,
    outbreak,
    /** The table's store, to look behind the responses. */
    get store(): Store {
      return current().store;
    },
    /** The services in process; over HTTP, those of the test process. */
    get services(): Services {
      return current();
    },
    /** The time of the service's clock, in milliseconds since 1970; a test may move it. */
    get now(): number {
      return current().clock();
    },
    set now(time: number) {
      ahead += time - current().clock();
    },
    /** Does work once, before the next transaction, which it may delay or fail. Replaces `beforeCall`. */
    beforeTransaction(work: () => unknown): void {
      environment.beforeCall = async (call) => {
        if (call !== "transact") return;
        environment.beforeCall = undefined;
        await work();
      };
    },
    /** Registers a moderator and logs in. */
    async moderator(alias: string): Promise<TestPlayer> {
      const joined = await join(alias);
      await change(joined, async (before) => {
        const roles = { ...before, is_moderator: true };
        const { player: after, writes } = await setRoles(current().store, before, roles, null);
        return { players: [{ before, after }], writes };
      });
      return joined;
    },
    /** Frees the aliases that somebody has given up, and lets them change theirs, as a new season and a day would. */
    freeAliases: (someone: TestPlayer): Promise<void> =>
      change(someone, async (before) => ({
        players: [{ before, after: { ...before, former_aliases: [], renamed_at: null } }],
      })),
    /** A game master, an original zombie, and as many humans as there are further names. */
    async game<T extends string[]>(
      zombie: string,
      ...humans: T
    ): Promise<[TestPlayer, TestPlayer, ...Each<T>]> {
      const [gm, first] = [await admin(), await join(zombie)];
      await outbreak(gm, first);
      return [gm, first, ...(await joinAll(...humans))];
    },
    /** Reports a hunt, of a player or of a tag code. */
    hunt: (hunter: TestPlayer, prey: TestPlayer | string, more: object = {}): Promise<Result> =>
      call("POST /zombie/hunt/{url_id}", {
        as: hunter,
        body: { tag_code: typeof prey === "string" ? prey : prey.code, ...more },
      }),
    /** A player's own view. */
    see: async (as: TestPlayer): Promise<Result["body"]> => (await must("GET /player/{url_id}", { as })).body,
    /** Advances game time: all deadlines come nearer. */
    async pass(milliseconds: number): Promise<void> {
      const { store } = current();
      const before: Game = await store.game();
      const after = { ...before, offset: before.offset - milliseconds };
      await store.commit(await writesOf({ game: { before, after } }), () => 10_000);
      if (TRANSPORT === "http") await setTimeout(SHOWN_GAME_MS);
    },
    /** The engine's endpoint and the table. */
    place: () => ({ endpoint, table }),
    /** Puts players straight into the table, by the thousand; they cannot log in and have no guards. */
    async crowd(players: readonly Player[]): Promise<void> {
      await fill({ endpoint, table }, players.map(playerItem));
      const counted = Map.groupBy(players, ({ state }) => `${state}s`);
      const by = Object.fromEntries([...counted].map(([counter, { length }]) => [counter, length]));
      await current().store.commit([{ increase: keys.count(0, 0), by }], () => 10_000);
    },
    /** Sweeps as if the last sweep had run a minute ago, although a test may move the clock by days. */
    async sweep(): Promise<{ starved: number; warned: number; complete: boolean }> {
      await current().store.db.put({ ...keys.sweepClock, at: current().clock() - MINUTE });
      const context = { services: current(), requestId: randomUUID(), timeLeft: () => 50_000 };
      return asFunction("sweep", () => sweep(context));
    },
    /** Processes the queue until nothing is due. */
    async work({ hurry = false } = {}): Promise<void> {
      if (TRANSPORT === "http") return untilWorkedOff(backlog());
      const { handler } = await import("../../functions/notifications/deliver.ts");
      const context = () => lambdaContext(environment.timeLeft ?? (() => 60_000));
      await queue.work(asWorker("deliver", handler).on(current()), context, hurry);
    },
    /** The messages on the queue; in process only. */
    queued: async () => queue.inspect(),
  };
  return environment;
};
