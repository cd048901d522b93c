/** A game on the embedded engine whose handlers are called in process, and what each call consumes. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import type { HashCost } from "../../lib/auth/password.ts";
import type { Game as GameState } from "../../lib/domain/clock.ts";
import type { Consumption } from "../../lib/dynamodb/capacity.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { commandContext, makeServices, type Services } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { openStore } from "../../lib/store/store.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { CURSOR_KEY, VAPID } from "../../tests/support/constants.ts";
import { lambdaContext } from "../../tests/support/context.ts";
import { loadEndpoints } from "../../tests/support/endpoints.ts";

/** What a password costs is the login's own bench. */
const CHEAP: HashCost = { memory: 64, passes: 1, parallelism: 1 };

export const PASSWORD = "measured in units";

/** Somebody who is logged in. */
export interface Someone {
  id: string;
  alias: string;
  token: string;
  code: string;
}

export interface Asking {
  as?: Someone;
  body?: unknown;
  query?: Record<string, string>;
  key?: string;
}

/** Capacity units, and of those of each index. */
export interface Units {
  read: number;
  write: number;
  indexes: Record<string, number>;
}

export interface Game {
  services: Services;
  place: { endpoint: string; table: string };
  /** Calls an endpoint; its answer, where it is a success. @throws Error otherwise */
  // biome-ignore lint/suspicious/noExplicitAny: a bench asserts what it reads
  call: (route: string, asking?: Asking) => Promise<any>;
  /** What a piece of work consumes. */
  measured: (work: () => Promise<unknown>) => Promise<Units>;
  join: (alias: string) => Promise<Someone>;
  admin: (alias: string) => Promise<Someone>;
  /** Makes an original zombie of a human. */
  outbreak: (admin: Someone, someone: Someone) => Promise<void>;
  /** Moves the game's clock on. */
  pass: (milliseconds: number) => Promise<void>;
  close: () => Promise<void>;
}

const eventOf = (route: string, { as, body, query, key }: Asking): APIGatewayProxyEventV2 => {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replace("{url_id}", as?.id ?? "");
  return {
    version: "2.0",
    routeKey: route,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(query === undefined ? {} : { queryStringParameters: query }),
    ...(pattern.includes("{url_id}") && as !== undefined ? { pathParameters: { url_id: as.id } } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      accountId: "",
      apiId: "",
      domainName: "",
      domainPrefix: "",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "bench" },
      requestId: randomUUID(),
      routeKey: route,
      stage: "$default",
      time: "",
      timeEpoch: 0,
    },
  };
};

interface Options {
  /** What a call is told is left of its time, in milliseconds. */
  timeLeft?: () => number;
  /** How many shards new entries of lists are spread over. */
  shards?: number;
  /** What stands between the store and the database. */
  between?: (usual: Database) => Database;
  /** Hears what each call of the database has consumed. */
  consumed?: (one: Consumption) => void;
}

/** Opens a game of its own, in memory. */
export const openGame = async ({
  timeLeft = () => 20_000,
  shards = 1,
  between = (usual) => usual,
  consumed = () => {},
}: Options = {}): Promise<Game> => {
  // A line for each of thousands of requests is nothing to read.
  process.env.LOG_LEVEL = "SILENT";
  process.env.POWERTOOLS_METRICS_DISABLED = "true";
  const engine = await startEngine();
  const table = `bench-${randomUUID()}`;
  await createTable(engine.endpoint, table);
  let heard: Consumption[] = [];
  const hear = (one: Consumption): void => {
    heard.push(one);
    consumed(one);
  };
  const meter = { detail: "INDEXES" as const, consumed: hear };
  const store = openStore(between(openDatabase({ table, endpoint: engine.endpoint, meter })));
  const change = async (how: (game: GameState) => Partial<GameState>): Promise<void> => {
    const before = await store.game();
    const after = { ...before, ...how(before) };
    await store.commit(await writesOf({ game: { before, after } }, 1), () => 10_000);
    await store.game();
  };
  if (shards > 1) await change(() => ({ shards }));
  const services = makeServices(
    parseEnv({ TABLE_NAME: table, DYNAMODB_ENDPOINT: engine.endpoint, ...VAPID, CURSOR_KEY }),
    {
      store,
      cost: CHEAP,
      // What is put on the queue is delivered in the bench of push.
      queue: { send: async () => {} },
    },
  );
  const handlers = await loadEndpoints();

  const call: Game["call"] = async (route, asking = {}) => {
    const handler = handlers.get(route);
    if (handler === undefined) throw new Error(`there is no ${route}`);
    const reply = await handler.on(services)(eventOf(route, asking), lambdaContext(timeLeft));
    if (reply.statusCode >= 300) throw new Error(`${route}: ${reply.statusCode} ${reply.body}`);
    return reply.body === undefined || reply.body === "" ? undefined : JSON.parse(String(reply.body));
  };

  const login = async (alias: string, code: string): Promise<Someone> => {
    const body = await call("POST /login", { body: { alias, password: PASSWORD } });
    return { id: body.player_id, alias, token: body.token, code };
  };

  return {
    services,
    place: { endpoint: engine.endpoint, table },
    call,
    async measured(work) {
      heard = [];
      await work();
      const units: Units = { read: 0, write: 0, indexes: {} };
      for (const { what, units: consumed, indexes } of heard) {
        units[what] += consumed;
        for (const [name, one] of Object.entries(indexes)) {
          units.indexes[name] = (units.indexes[name] ?? 0) + one;
        }
      }
      return units;
    },
    async join(alias) {
      const body = await call("POST /new", { body: { alias, password: PASSWORD } });
      return login(alias, body.tag_code);
    },
    async admin(alias) {
      const moment = commandContext(services, services.clock());
      await createAdministrator(services, { alias, password: PASSWORD, playing: false }, moment);
      return login(alias, "");
    },
    async outbreak(admin, { id }) {
      for (const word of ["corpsify", "revive_z"]) {
        await call(`POST /admin/${word}/{url_id}`, { as: admin, body: { player_id: id } });
      }
    },
    pass: (milliseconds) => change(({ offset }) => ({ offset: offset - milliseconds })),
    close: () => engine.stop(),
  };
};
