/** The service under test, on a real local engine: in process, or over HTTP through serverless offline. */
import { randomUUID } from "node:crypto";
import { DeleteTableCommand, DynamoDBClient, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { setRoles } from "../../lib/auth/roles.ts";
import type { Game } from "../../lib/domain/clock.ts";
import type { Player } from "../../lib/domain/player.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database, Item } from "../../lib/dynamodb/database.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import { openQueue, type Queue } from "../../lib/queue/queue.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { gatewayEvent, lambdaContext, loadEndpoints } from "../../scripts/local/inProcess.ts";
import { createTable } from "../../scripts/local/table.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { asFunction, asWorker, recorded, recordedQueue, withRecordedKeys } from "./calls.ts";
import { CURSOR_KEY, VAPID } from "./constants.ts";
import { CHEAP } from "./cost.ts";
import { connectDirectly } from "./directClient.ts";
import { requireDocumented } from "./documented.ts";
import { openEngine, SHARED_ENGINE } from "./engine.ts";
import type { Backlog, Queued, TestQueue, WorkOptions } from "./queue.ts";
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

type Transport = (
  method: string,
  path: string,
  route: string,
  options: RequestOptions,
  headers: Record<string, string>,
) => Promise<Result>;

const resultOf = (status: number, headers: Record<string, string>, bytes: Buffer): Result => {
  const text = bytes.toString();
  const json = headers["content-type"]?.includes("json") === true && text !== "";
  return { status, headers, text, bytes, body: json ? JSON.parse(text) : undefined };
};

const bodyOf = ({ body, raw }: RequestOptions): string | Buffer | undefined =>
  raw !== undefined ? raw.body : body === undefined ? undefined : JSON.stringify(body);

const NAMES = new Map(listedFunctions().map(({ route, name }) => [route, name]));

const inProcess =
  (handlers: ReadonlyMap<string, Handler>, services: () => Services, timeLeft?: () => number): Transport =>
  async (_method, path, route, options, headers) => {
    const handler = handlers.get(route);
    if (handler === undefined) return resultOf(404, {}, Buffer.alloc(0));
    const body = bodyOf(options);
    const query = Object.fromEntries(
      Object.entries(options.query ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const { from: address = "127.0.0.1" } = options;
    const event = gatewayEvent({ route, path, headers, query, body, address });
    const response = await asFunction(NAMES.get(route) ?? route, () =>
      handler.on(services())(event, lambdaContext(timeLeft)),
    );
    const given = Object.fromEntries(
      Object.entries(response.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    if (response.cookies !== undefined) given["set-cookie"] = response.cookies.join(", ");
    const sent = Buffer.from(response.body ?? "", response.isBase64Encoded === true ? "base64" : "utf8");
    return resultOf(response.statusCode, given, sent);
  };

const overHttp =
  (base: string): Transport =>
  async (method, path, _route, options, headers) => {
    const query = new URLSearchParams(
      Object.entries(options.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = `${base}${path}${query.size > 0 ? `?${query}` : ""}`;
    const body = bodyOf(options);
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const sent = Buffer.from(await response.arrayBuffer());
    return resultOf(response.status, Object.fromEntries(response.headers), sent);
  };

const dropTable = async (endpoint: string, TableName: string): Promise<void> => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "local", credentials });
  try {
    await client.send(new DeleteTableCommand({ TableName }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  } finally {
    client.destroy();
  }
};

const unlisted = (player: Player): Item => {
  const { pk, sk, gsi2pk, gsi2sk, alias, deadline, epoch } = playerItem(player);
  return { pk, sk, gsi2pk, gsi2sk, alias, deadline, epoch };
};

/** A player for each name. */
type Each<T extends readonly unknown[]> = { [K in keyof T]: TestPlayer };

/** What a test works with. */
export interface TestEnvironment {
  call: (route: string, options?: RequestOptions) => Promise<Result>;
  /** The same, for a request that must succeed. */
  must: (route: string, options: RequestOptions) => Promise<Result>;
  /** The table's store, to look behind the responses. */
  store: Store;
  /** The services in process; over HTTP, those of the test process. */
  services: Services;
  /** Registers a human and logs in. */
  join: (alias: string, password?: string) => Promise<TestPlayer>;
  login: (alias: string, password: string) => Promise<TestPlayer>;
  /** Creates a game master and logs in. */
  admin: (alias?: string, playing?: boolean) => Promise<TestPlayer>;
  /** Registers a moderator and logs in. */
  moderator: (alias: string) => Promise<TestPlayer>;
  /** Frees the aliases that somebody has given up, and lets them change theirs, as a new season and a day would. */
  freeAliases: (someone: TestPlayer) => Promise<void>;
  /** A game master, an original zombie, and as many humans as there are further names. */
  game: <T extends string[]>(zombie: string, ...humans: T) => Promise<[TestPlayer, TestPlayer, ...Each<T>]>;
  /** Makes an original zombie of a human. */
  outbreak: (admin: TestPlayer, someone: TestPlayer) => Promise<void>;
  /** Reports a hunt, of a player or of a tag code. */
  hunt: (hunter: TestPlayer, prey: TestPlayer | string, more?: Record<string, unknown>) => Promise<Result>;
  /** A player's own view. */
  see: (someone: TestPlayer) => Promise<Result["body"]>;
  /** Advances game time: all deadlines come nearer. */
  pass: (milliseconds: number) => Promise<void>;
  /**
   * Sweeps as if the last sweep had run a minute ago, although a test may move the clock by days.
   * @param timeLeft what Lambda reports is left of the sweep's time, in milliseconds
   */
  sweep: (timeLeft?: () => number) => Promise<{ starved: number; warned: number; complete: boolean }>;
  /** Processes the queue until nothing is due. */
  work: (options?: WorkOptions) => Promise<void>;
  /** The messages on the queue; in process only. */
  queued: () => Promise<Queued[]>;
  /** The engine's endpoint and the table. */
  place: () => { endpoint: string; table: string };
  /**
   * Puts players straight into the table, by the thousand; they cannot log in and have no guards. Those beyond `listed`
   * are on no list but that of living zombies, which makes them cheaper.
   */
  crowd: (players: readonly Player[], listed?: number) => Promise<void>;
}

const PASSWORD = "correct horse battery";

export interface Overrides {
  /** Services that replace the usual ones; in process only. */
  services?: (usual: Services) => Partial<Services>;
  /** Another database between the store and the engine; in process only. */
  database?: (usual: Database) => Database;
  /** What Lambda reports is left of a call's time, in milliseconds; in process only. */
  timeLeft?: () => number;
}

/**
 * The usual services, with those of a test. An arrow function may return any further field without an error of the type
 * checker, so that an override of a service that has been renamed would be ignored.
 * @throws Error when there is no such service
 */
const replaceServices = (usual: Services, replaced: Partial<Services>): Services => {
  const unknown = Object.keys(replaced).filter((name) => !(name in usual));
  if (unknown.length > 0) throw new Error(`There is no service of this name: ${unknown.join(", ")}`);
  return { ...usual, ...replaced };
};

/** A test environment on a table of its own, new for every test. */
export const testEnvironment = (overrides: Overrides = {}): TestEnvironment => {
  let endpoint = "";
  let table = "";
  let stop = async (): Promise<void> => {};
  let services: Services | undefined;
  let handlers: Map<string, Handler> = new Map();
  let queue: Promise<TestQueue> | undefined;

  /** The test's queue, started when it is first used: most tests do not need it, and it takes 0.2 s. */
  const ownQueue = (): Promise<TestQueue> => {
    queue ??= import("./queue.ts").then(({ startQueue }) => startQueue());
    return queue;
  };
  let opened: Promise<Queue> | undefined;
  const lazyQueue: Queue = {
    async send(messages) {
      if (messages.length === 0) return;
      opened ??= ownQueue().then(openQueue);
      await (await opened).send(messages);
    },
  };

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
    const used = await queue;
    [queue, opened] = [undefined, undefined];
    await used?.stop();
    // An engine of the test's own ends with its tables.
    if (TRANSPORT === "in process" && SHARED_ENGINE !== undefined) await dropTable(endpoint, table);
  });

  const backlog = (): Backlog => ({
    queue: running().queue,
    stream: { endpoint, table, read: running().read },
  });

  beforeEach(async () => {
    if (TRANSPORT === "http") {
      const { emptyQueue, untilAnnounced } = await import("./queue.ts");
      await untilAnnounced(backlog());
      await dropTable(endpoint, table);
      await createTable(endpoint, table, { stream: true });
      await emptyQueue(backlog());
    } else {
      table = `test-${randomUUID()}`;
      await createTable(endpoint, table);
    }
    const opened = openDatabase({
      table,
      endpoint,
      configureClient: (client) => {
        recorded(client);
        if (TRANSPORT === "in process" && SHARED_ENGINE === undefined) connectDirectly(endpoint)(client);
      },
    });
    const store = openStore(overrides.database?.(opened) ?? opened);
    const settings = { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, ...VAPID, CURSOR_KEY };
    const usual = withRecordedKeys(
      makeServices(parseEnv(settings), { store, cost: CHEAP, queue: recordedQueue(lazyQueue) }),
    );
    services = replaceServices(usual, overrides.services?.(usual) ?? {});
  });

  const transport = (): Transport =>
    TRANSPORT === "http" ? overHttp(running().base) : inProcess(handlers, current, overrides.timeLeft);

  const call: TestEnvironment["call"] = async (route, options = {}) => {
    const [method = "", pattern = ""] = route.split(" ");
    const id = options.id ?? options.as?.id ?? randomUUID();
    const path = pattern.replace(/\{\w+\}$/, encodeURIComponent(id));
    const type = options.raw === undefined ? "application/json" : options.raw.type;
    const hasBody = options.body !== undefined || options.raw !== undefined;
    const headers = {
      ...(options.as ? { authorization: `Bearer ${options.as.token}` } : {}),
      ...(hasBody && type !== undefined ? { "content-type": type } : {}),
      ...(options.key === undefined ? {} : { "idempotency-key": options.key }),
      ...options.headers,
    };
    const result = await transport()(method, path, route, options, headers);
    requireDocumented(route, result);
    return result;
  };

  const must = async (route: string, options: RequestOptions): Promise<Result> => {
    const result = await call(route, options);
    if (result.status >= 300) throw new Error(`${route}: ${result.status} ${result.text}`);
    return result;
  };

  const login: TestEnvironment["login"] = async (alias, password) => {
    const { body } = await must("POST /login", { body: { alias, password } });
    return { id: body.player_id, alias: body.alias, password, token: body.token, code: null };
  };

  const join: TestEnvironment["join"] = async (alias, password = PASSWORD) => {
    const { body } = await must("POST /new", { body: { alias, password } });
    return { ...(await login(alias, password)), code: body.tag_code };
  };

  const admin: TestEnvironment["admin"] = async (alias = "Game Master", playing = false) => {
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

  const moderator: TestEnvironment["moderator"] = async (alias) => {
    const joined = await join(alias);
    await change(joined, async (before) => {
      const roles = { ...before, is_moderator: true };
      const { player: after, writes } = await setRoles(current().store, before, roles, null);
      return { players: [{ before, after }], writes };
    });
    return joined;
  };

  const freeAliases: TestEnvironment["freeAliases"] = (someone) =>
    change(someone, async (before) => ({
      players: [{ before, after: { ...before, former_aliases: [], renamed_at: null } }],
    }));

  const outbreak: TestEnvironment["outbreak"] = async (as, { id }) => {
    await must("POST /admin/corpsify/{url_id}", { as, body: { player_id: id } });
    await must("POST /admin/revive_z/{url_id}", { as, body: { player_id: id } });
  };

  return {
    call,
    get store() {
      return current().store;
    },
    get services() {
      return current();
    },
    login,
    must,
    join,
    admin,
    moderator,
    freeAliases,
    outbreak,
    async game<T extends string[]>(zombie: string, ...humans: T) {
      const [gm, first] = [await admin(), await join(zombie)];
      await outbreak(gm, first);
      const others: TestPlayer[] = [];
      for (const alias of humans) others.push(await join(alias));
      return [gm, first, ...(others as Each<T>)];
    },
    hunt: (hunter, prey, more = {}) =>
      call("POST /zombie/hunt/{url_id}", {
        as: hunter,
        body: { tag_code: typeof prey === "string" ? prey : prey.code, ...more },
      }),
    async see(someone) {
      return (await must("GET /player/{url_id}", { as: someone })).body;
    },
    async pass(milliseconds) {
      const { store } = current();
      const before: Game = await store.game();
      const after = { ...before, offset: before.offset - milliseconds };
      await store.commit(await writesOf({ game: { before, after } }), () => 10_000);
    },
    place: () => ({ endpoint, table }),
    async crowd(players, listed = players.length) {
      const items = players.map((player, n) => (n < listed ? playerItem(player) : unlisted(player)));
      await fill({ endpoint, table }, items);
      const counted = Map.groupBy(players, ({ state }) => `${state}s`);
      const by = Object.fromEntries([...counted].map(([counter, { length }]) => [counter, length]));
      await current().store.commit([{ increase: keys.count(0, 0), by }], () => 10_000);
    },
    async sweep(timeLeft = () => 50_000) {
      const at = current().clock() - MINUTE;
      await current().store.db.put({ ...keys.sweepClock, at });
      return asFunction("sweep", () => sweep({ services: current(), requestId: randomUUID(), timeLeft }));
    },
    async work(working) {
      if (TRANSPORT === "http") {
        const { untilWorkedOff } = await import("./queue.ts");
        return untilWorkedOff(backlog());
      }
      if (queue === undefined) return;
      const { handler } = await import("../../functions/notifications/deliver.ts");
      const { timeLeft = () => 60_000 } = overrides;
      await (await queue).pump(
        asWorker("deliver", handler).on(current()),
        () => lambdaContext(timeLeft),
        working,
      );
    },
    async queued() {
      return (await queue)?.inspect() ?? [];
    },
  };
};
