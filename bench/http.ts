/** Response times of the complete service over HTTP, on its embedded engine. */
import { type Asking, type Exchanged, exchangeAll } from "./http/client.ts";
import { Ours } from "./http/ours.ts";
import { checkHunts, checkPlayers, openPlace, paired, requireStatus } from "./support/checks.ts";
import { moveTo } from "./support/machine.ts";
import { median, spread } from "./support/numbers.ts";
import { ask, type Ends, startPart, withEnds } from "./support/processes.ts";
import { atMost, type Row, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";
import { type Prey, putHunter, putPrey, type Someone } from "./support/scene.ts";

/** Concurrent hunters while requests per second are counted. */
const AT_ONCE = 8;
const PASSWORD = "measured in milliseconds";

interface Server {
  url: string;
  hunters: Someone[];
  prey: (count: number) => Promise<Prey[]>;
  /** @throws Error unless each of these hunts succeeded and is stored */
  check: (hunter: Someone, hunts: Parameters<typeof checkHunts>[2]) => Promise<void>;
}

const startServer = async (ends: Ends): Promise<Server> => {
  const child = startPart("http-ours", { side: "subject" });
  ends.push(() => {
    child.disconnect();
    return new Promise((resolve) => child.once("exit", resolve));
  });
  const { url, ...place } = await ask(child, {}, Ours);
  const store = openPlace(place);
  const hunters: Someone[] = [];
  while (hunters.length < AT_ONCE) hunters.push(await putHunter(place));
  return {
    url,
    hunters,
    prey: (count) => putPrey(place, count),
    check: (hunter, hunts) => checkHunts(store, hunter, hunts),
  };
};

const viewBy = ({ id, token }: Someone): Asking => ({ method: "GET", path: `/player/${id}`, token });
const huntBy = ({ id, token }: Someone, { code }: Prey): Asking => ({
  method: "POST",
  path: `/zombie/hunt/${id}`,
  token,
  body: { tag_code: code },
});

/** Some hunters' own views, so many times each, at once. */
const views = async ({ url }: Server, hunters: readonly Someone[], times: number): Promise<Exchanged> => {
  const rows = hunters.map((hunter) => Array.from({ length: times }, () => viewBy(hunter)));
  const done = await exchangeAll(url, rows);
  for (const [n, hunter] of hunters.entries()) {
    checkPlayers(hunter, done.replies.slice(n * times, (n + 1) * times));
  }
  return done;
};

/** Some hunters' hunts, so many times each, at once. */
const hunts = async (server: Server, hunters: readonly Someone[], times: number): Promise<Exchanged> => {
  const prey = await server.prey(hunters.length * times);
  const preyOf = (n: number): Prey[] => prey.slice(n * times, (n + 1) * times);
  const rows = hunters.map((hunter, n) => preyOf(n).map((one) => huntBy(hunter, one)));
  const done = await exchangeAll(server.url, rows);
  for (const [n, hunter] of hunters.entries()) {
    const replies = done.replies.slice(n * times, (n + 1) * times);
    await server.check(hunter, paired(preyOf(n), replies));
  }
  return done;
};

/** Times in milliseconds with one asking, answers in a second with several. */
interface Run {
  p50: number;
  p99: number;
  rate: number;
}

const runOf = (one: Exchanged, several: Exchanged): Run => ({
  p50: one.p50,
  p99: one.p99,
  rate: several.rate,
});

/** Other requests that clients make often. */
const others = async ({ url, hunters }: Server, times: number): Promise<Row[]> => {
  const [hunter] = hunters;
  if (hunter === undefined) throw new Error("there is no hunter");
  const { id, token } = hunter;
  const stem = `Newcomer ${Date.now()}`;
  const newcomer = (n: number) => ({ alias: `${stem} ${n}`, password: PASSWORD });
  const get =
    (path: string): (() => Asking) =>
    () => ({ method: "GET", path: `${path}/${id}`, token });
  const rows: [name: string, status: number, of: (n: number) => Asking][] = [
    ["POST /new", 201, (n) => ({ method: "POST", path: "/new", body: newcomer(n) })],
    ["POST /login", 200, (n) => ({ method: "POST", path: "/login", body: newcomer(n) })],
    ["GET /zombie/next_feeding", 200, get("/zombie/next_feeding")],
    ["GET /interactions", 200, get("/interactions")],
    ["GET /interactions/leaderboard", 200, get("/interactions/leaderboard")],
  ];
  const shown: Row[] = [];
  for (const [request, status, of] of rows) {
    const { p50, p99, replies } = await exchangeAll(url, [Array.from({ length: times }, (_, n) => of(n))]);
    for (const reply of replies) requireStatus(reply, status);
    shown.push({ request, count: times, "p50 ms": p50.toFixed(2), "p99 ms": p99.toFixed(2) });
  }
  return shown;
};

/**
 * Measures, prints, and writes bench/results/http.json.
 * @param quick whether few requests are enough
 */
export const httpBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    moveTo("driver");
    const server = await startServer(ends);
    const [alone, each] = quick ? [10, 2] : [200, 50];
    const rounds = await inTurns(["ours"], quick ? QUICK : { wanted: 7, most: 12 }, async () => {
      const { hunters } = server;
      const first = hunters.slice(0, 1);
      return {
        player: runOf(await views(server, first, alone), await views(server, hunters, each)),
        hunt: runOf(await hunts(server, first, alone), await hunts(server, hunters, each)),
      };
    });
    const of = (kind: "player" | "hunt", what: keyof Run): number[] =>
      rounds.values("ours", (one) => one[kind][what]);
    const kinds = [
      ["GET /player", "player"],
      ["POST /zombie/hunt", "hunt"],
    ] as const;
    await report({
      name: "http",
      quick,
      what: `${alone} requests of each kind, one after the other, and ${AT_ONCE} times ${each} concurrently`,
      rounds,
      tables: [
        kinds.map(([request, kind]) => ({
          request,
          "p50 ms": spread(of(kind, "p50"), 2),
          "p99 ms": spread(of(kind, "p99"), 2),
          [`per second, ${AT_ONCE} concurrent`]: spread(of(kind, "rate"), 0),
        })),
        await others(server, quick ? 3 : 50),
      ],
      targets: [
        atMost("p50 of GET /player, ms", median(of("player", "p50")), 4),
        atMost("p50 of a hunt, ms", median(of("hunt", "p50")), 10),
      ],
    });
    return true;
  });
