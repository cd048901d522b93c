/** Measures response times of the complete service over HTTP, on the embedded engine. */
import { Pool } from "undici";
import * as z from "zod/mini";
import { freePort } from "../scripts/cli/ports.ts";
import { readSettings } from "../scripts/local/settings.ts";
import { startAll } from "../scripts/local/startAll.ts";
import { httpOf, type Request } from "./support/events.ts";
import { startHunting } from "./support/hunts.ts";
import type { Reply } from "./support/lambda.ts";
import { pinProcessTo } from "./support/machine.ts";
import { median, spreadOf } from "./support/numbers.ts";
import { request, serveRequests, startHelper } from "./support/processes.ts";
import { atMost, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";

const Server = z.object({ url: z.string(), endpoint: z.string(), table: z.string() });

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

/** @param quick whether few requests are enough */
export const bench: Bench = async (quick, cleanups) => {
  pinProcessTo("driver");
  const child = startHelper("http-server", { side: "subject" });
  cleanups.defer(() => {
    child.disconnect();
    return new Promise<void>((resolve) => child.once("exit", resolve));
  });
  const { url, ...database } = await request(child, {}, Server);
  const pool = new Pool(url, { connections: 1 });
  cleanups.defer(() => pool.close());
  const { hunt, view } = await startHunting(database);
  const count = quick ? 10 : 200;
  // A round is quiet if other programs used little of the machine.
  const plan = quick ? QUICK : { quietRounds: 7, maxRounds: 12 };
  const rounds = await runRounds(["service"], plan, async () => {
    const { p50: player } = await view(count, (requests) => sendAll(pool, requests));
    const { p50 } = await hunt(count, (requests) => sendAll(pool, requests));
    return { player, hunt: p50 };
  });
  const playerMs = rounds.values("service", (run) => run.player);
  const huntMs = rounds.values("service", (run) => run.hunt);
  return {
    what: `${count} requests of each kind, sequentially`,
    rounds,
    tables: [
      [
        { request: "GET /player", "p50 ms": spreadOf(playerMs, 2) },
        { request: "POST /zombie/hunt", "p50 ms": spreadOf(huntMs, 2) },
      ],
    ],
    targets: [
      atMost("p50 of GET /player, ms", median(playerMs), 4),
      atMost("p50 of a hunt, ms", median(huntMs), 10),
    ],
    // Times never fail a run.
    met: true,
  };
};
