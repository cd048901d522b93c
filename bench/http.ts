/** Measures response times of the complete service over HTTP, on the embedded engine, compared with peers. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Pool } from "undici";
import * as z from "zod/mini";
import { freePort } from "../scripts/cli/ports.ts";
import { REGION, readSettings } from "../scripts/local/settings.ts";
import { startAll } from "../scripts/local/startAll.ts";
import { ROOT } from "../scripts/project/root.ts";
import { httpOf, type Request } from "./support/events.ts";
import { startHunting } from "./support/hunts.ts";
import type { Reply } from "./support/lambda.ts";
import { pinProcessTo } from "./support/machine.ts";
import { median, ratio, spreadOf } from "./support/numbers.ts";
import { request, serveRequests, startHelper } from "./support/processes.ts";
import { atMost, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";

/** The service as `npm start` runs it; the same with two functions written by hand; the latter under Fastify alone. */
const SUBJECTS = ["service", "byHand", "fastify"] as const;
type Subject = (typeof SUBJECTS)[number];

const Server = z.object({ url: z.string(), endpoint: z.string(), table: z.string() });
type Server = z.infer<typeof Server>;

/** Runs the service as `npm start` does, in a helper process. */
export const runServer = async (): Promise<void> => {
  const table = "zombie-game-bench";
  Object.assign(process.env, { PORT: String(await freePort()), GAME_FILE: ":memory:", TABLE_NAME: table });
  const up = await startAll(readSettings(), () => {});
  try {
    await serveRequests(z.object({}), async () => {
      await up.serve();
      return { url: up.url, endpoint: up.endpoint, table };
    });
  } finally {
    await up.stop();
  }
};

/** Runs the server of Fastify, in a helper process. */
export const runFastify = (): Promise<void> =>
  serveRequests(Server, async ({ endpoint, table }) => {
    Object.assign(process.env, { AWS_REGION: REGION, DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table });
    const { startFastify } = await import("./peers/fastify.ts");
    return { url: await startFastify(), endpoint, table };
  });

/** Starts all subjects. Fastify uses the engine of the functions written by hand. */
const startSubjects = async (cleanups: AsyncDisposableStack): Promise<Record<Subject, Server>> => {
  const start = (helper: string, message: object, env = process.env): Promise<Server> => {
    const child = startHelper(helper, { side: "subject", silent: helper === "http-fastify", env });
    cleanups.defer(() => {
      child.disconnect();
      return new Promise<void>((resolve) => child.once("exit", resolve));
    });
    return request(child, message, Server);
  };
  const byHand = `--import ${pathToFileURL(join(ROOT, "bench/support/byHand.mjs"))}`;
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} ${byHand}`;
  const service = await start("http-server", {});
  const hand = await start("http-server", {}, { ...process.env, NODE_OPTIONS });
  return { service, byHand: hand, fastify: await start("http-fastify", hand) };
};

/** Sends requests sequentially over one connection. @returns the median time in milliseconds, and the replies */
const sendAll = async (pool: Pool, requests: readonly Request[]) => {
  const times: number[] = [];
  const replies: Reply[] = [];
  for (const one of requests) {
    const { method, path, headers } = httpOf(one);
    const started = performance.now();
    const body = one.body === undefined ? null : JSON.stringify(one.body);
    const response = await pool.request({ method, path, headers, body });
    replies.push({ statusCode: response.statusCode, body: await response.body.text() });
    times.push(performance.now() - started);
  }
  return { p50: median(times), replies };
};

/** Clients that log in at the same time, each to an account of its own, over and over. */
const FLOOD = 16;
const PASSWORD = "measured under a flood";

const Session = z.object({ player_id: z.string(), token: z.string() });

/**
 * Prepares a flood of logins.
 * @returns a function that measures how long `GET /health` and `GET /live` take, with and without the flood
 */
const startFlood = async (url: string, pool: Pool, cleanups: AsyncDisposableStack) => {
  const flooding = new Pool(url, { connections: FLOOD });
  cleanups.defer(() => flooding.close());
  const post = (path: string, body: object) =>
    flooding.request({
      ...{ method: "POST", path, headers: { "content-type": "application/json" } },
      body: JSON.stringify(body),
    });
  const accounts = Array.from({ length: FLOOD }, (_, n) => ({ alias: `Flood ${n}`, password: PASSWORD }));
  const register = async (account: { alias: string; password: string }) => {
    const { body } = await post("/new", { ...account, login: true });
    return Session.parse(await body.json());
  };
  for (const account of accounts) await register(account);
  // The flood ends earlier sessions of its own accounts.
  const { player_id: id, token } = await register({ alias: "Measured", password: PASSWORD });
  const p50 = async (route: string, count: number): Promise<number> => {
    const sent = await sendAll(pool, Array<Request>(count).fill({ route, as: { id, token } }));
    const wrong = sent.replies.find(({ statusCode }) => statusCode !== 200);
    if (wrong !== undefined) throw new Error(`wrong response to ${route}: ${wrong.statusCode} ${wrong.body}`);
    return sent.p50;
  };
  const both = async (count: number) => ({
    health: await p50("GET /health", count),
    live: await p50("GET /live/{url_id}", count),
  });
  return async (count: number) => {
    const idle = await both(count);
    let isOver = false;
    let logins = 0;
    const clients = accounts.map(async (account) => {
      while (!isOver) {
        const { statusCode, body } = await post("/login", account);
        await body.dump();
        if (statusCode !== 200 && statusCode !== 503) throw new Error(`wrong response: ${statusCode}`);
        logins += 1;
      }
    });
    const flooded = await both(count);
    isOver = true;
    await Promise.all(clients);
    if (logins < FLOOD) throw new Error("there was no flood");
    return { idle, flooded };
  };
};

/** @param quick whether few requests are enough */
export const bench: Bench = async (quick, cleanups) => {
  pinProcessTo("driver");
  const servers = await startSubjects(cleanups);
  const clientOf = async ({ url, ...database }: Server) => {
    const pool = new Pool(url, { connections: 1 });
    cleanups.defer(() => pool.close());
    return { pool, ...(await startHunting(database)) };
  };
  const clients = {
    service: await clientOf(servers.service),
    byHand: await clientOf(servers.byHand),
    fastify: await clientOf(servers.fastify),
  };
  const flood = await startFlood(servers.service.url, clients.service.pool, cleanups);
  const count = quick ? 10 : 200;
  // A round is quiet if other programs used little of the machine.
  const plan = quick ? QUICK : { quietRounds: 7, maxRounds: 12 };
  const rounds = await runRounds(SUBJECTS, plan, async (subject) => {
    const { pool, view, hunt } = clients[subject];
    const { p50: player } = await view(count, (requests) => sendAll(pool, requests));
    const { p50 } = await hunt(count, (requests) => sendAll(pool, requests));
    return { player, hunt: p50 };
  });
  const floods = await runRounds(["service"], plan, () => flood(count));
  const valuesOf = (subject: Subject, what: "player" | "hunt"): number[] =>
    rounds.values(subject, (run) => run[what]);
  const to = (peer: Subject, what: "player" | "hunt"): number =>
    ratio(valuesOf("service", what), valuesOf(peer, what));
  const names: Record<Subject, string> = {
    service: "npm start",
    byHand: "npm start, functions written by hand",
    fastify: "Fastify on the same engine",
  };
  const subjectRow = (subject: Subject) => ({
    subject: names[subject],
    "GET /player, p50 ms": spreadOf(valuesOf(subject, "player"), 2),
    "ours to it, GET": subject === "service" ? "" : to(subject, "player").toFixed(2),
    "POST /zombie/hunt, p50 ms": spreadOf(valuesOf(subject, "hunt"), 2),
    "ours to it, POST": subject === "service" ? "" : to(subject, "hunt").toFixed(2),
  });
  const floodRow = (request: string, name: "health" | "live") => {
    const [idle, flooded] = (["idle", "flooded"] as const).map((when) =>
      floods.values("service", (run) => run[when][name]),
    );
    return {
      [`while ${FLOOD} clients log in`]: request,
      "p50 ms": spreadOf(flooded ?? [], 2),
      "without them": spreadOf(idle ?? [], 2),
      ratio: ratio(flooded ?? [], idle ?? []).toFixed(1),
    };
  };
  return {
    what: `${count} requests of each kind, sequentially`,
    rounds,
    tables: [SUBJECTS.map(subjectRow), [floodRow("GET /health", "health"), floodRow("GET /live", "live")]],
    targets: [
      atMost("GET /player, ours to functions written by hand", to("byHand", "player"), 1.5),
      atMost("hunt, ours to functions written by hand", to("byHand", "hunt"), 1.5),
      atMost("GET /player, ours to Fastify", to("fastify", "player"), 2),
      atMost("hunt, ours to Fastify", to("fastify", "hunt"), 2),
    ],
    // Times never fail a run.
    met: true,
  };
};
