/** How fast the whole service answers over HTTP, on this machine and its embedded engine. */
import { createAdministrator } from "../../lib/auth/accounts.ts";
import { parseEnv } from "../../lib/env.ts";
import { makeServices, momentOf } from "../../lib/http/services.ts";
import { freePort } from "../local/ports.ts";
import { readSettings } from "../local/settings.ts";
import { bringUp, type Up } from "../local/up.ts";

const PASSWORD = "measured in milliseconds";

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const ask = async (url: string, token?: string, body?: unknown): Promise<Answer> => {
  const reply = await fetch(url, {
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === "" ? {} : JSON.parse(text) };
};

const must = async (status: number, answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`expected ${status}, got ${got}: ${JSON.stringify(body)}`);
  return body;
};

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** Times each call, the first few apart: they load what the rest find loaded. */
const measure = async (name: string, times: number, call: (n: number) => Promise<unknown>) => {
  const spent: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const started = performance.now();
    await call(n);
    spent.push(performance.now() - started);
  }
  const sorted = spent.toSorted((one, other) => one - other);
  const shown = (part: number): string => percentile(sorted, part).toFixed(2);
  const first = spent[0]?.toFixed(1) ?? "";
  return { request: name, count: times, "p50 ms": shown(0.5), "p99 ms": shown(0.99), "first ms": first };
};

const benchmark = async (up: Up, endpoint: string, table: string, times: number) => {
  const { url } = up;
  const services = makeServices(parseEnv({ TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint }));
  const gm = { alias: "Game Master", password: PASSWORD, playing: false };
  await createAdministrator(services, gm, momentOf(services, Date.now()));
  const login = async (alias: string) => {
    const body = await must(200, ask(`${url}/login`, undefined, { alias, password: PASSWORD }));
    return { id: String(body.player_id), token: String(body.token) };
  };
  const master = await login("Game Master");
  const codes: string[] = [];
  const registering = await measure("POST /new", times, async (n) => {
    const body = await must(201, ask(`${url}/new`, undefined, { alias: `Prey ${n} x`, password: PASSWORD }));
    codes.push(String(body.tag_code));
  });
  await must(201, ask(`${url}/new`, undefined, { alias: "Hunter", password: PASSWORD }));
  const command = (word: string, body: unknown) =>
    must(200, ask(`${url}/admin/${word}/${master.id}`, master.token, body));
  await command("corpsify", { alias: "Hunter" });
  await command("revive_z", { alias: "Hunter" });
  const loggingIn = await measure("POST /login", times, () => login("Hunter"));
  const hunter = await login("Hunter");
  return [
    registering,
    loggingIn,
    await measure("GET /player", times, () => must(200, ask(`${url}/player/${hunter.id}`, hunter.token))),
    await measure("POST /zombie/hunt", times, async (n) => {
      const body = { tag_code: codes[n] };
      const { hunter: fed } = await must(200, ask(`${url}/zombie/hunt/${hunter.id}`, hunter.token, body));
      if (typeof fed !== "object") throw new Error("a hunt answered without its hunter");
    }),
    await measure("GET /interactions", times, () =>
      must(200, ask(`${url}/interactions/${hunter.id}`, hunter.token)),
    ),
    await measure("GET /interactions/leaderboard", times, () =>
      must(200, ask(`${url}/interactions/leaderboard/${hunter.id}`, hunter.token)),
    ),
  ];
};

/** Prints how long requests take. @param times so many of each kind */
export const httpBench = async (times: number): Promise<void> => {
  process.env.PORT = String(await freePort());
  process.env.GAME_FILE = ":memory:";
  process.env.TABLE_NAME = "zombie-game-bench";
  const up = await bringUp(readSettings(), () => {});
  try {
    await up.serve();
    console.table(await benchmark(up, up.endpoint, process.env.TABLE_NAME, times));
  } finally {
    await up.stop();
  }
};
