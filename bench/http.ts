/** How fast the whole service answers over HTTP on its embedded engine, beside the classic server. */
import { type Asking, type Exchanged, exchangeAll } from "./http/client.ts";
import { Hunters, Looked, PreyTold, Started } from "./http/fastify.ts";
import { Ours } from "./http/ours.ts";
import {
  type Answered,
  checkHunts,
  checkHuntsBy,
  checkPlayers,
  openPlace,
  paired,
  requireStatus,
} from "./support/checks.ts";
import { openScratch } from "./support/database.ts";
import { moveTo } from "./support/machine.ts";
import { median, ratio, spread } from "./support/numbers.ts";
import { ask, type Ends, startPart, withEnds } from "./support/processes.ts";
import { atMost, type Row, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";
import { type Prey, putHunter, putPrey, type Someone } from "./support/scene.ts";

/** So many ask at once when it is counted how many are answered in a second, each hunter for itself. */
const AT_ONCE = 8;
const PASSWORD = "measured in milliseconds";

interface Server {
  url: string;
  /** As many as ask at once. */
  hunters: Someone[];
  prey: (count: number) => Promise<Prey[]>;
  /** @throws Error unless each of these hunts was answered and has happened */
  check: (hunter: Someone, hunts: Answered[]) => Promise<void>;
}

const startOurs = async (ends: Ends): Promise<Server> => {
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

const startFastify = async (ends: Ends, scratch: string): Promise<Server> => {
  const child = startPart("http-fastify", { side: "subject" });
  ends.push(() => child.kill());
  const { url } = await ask(child, { start: scratch }, Started);
  const { hunters } = await ask(child, { hunters: AT_ONCE }, Hunters);
  return {
    url,
    hunters,
    prey: async (prey) => (await ask(child, { prey }, PreyTold)).prey,
    check: async (hunter, hunts) => {
      const look = hunts.map(({ prey }) => prey.id);
      const { infectors } = await ask(child, { look }, Looked);
      checkHuntsBy(hunter, hunts, infectors);
    },
  };
};

const SUBJECTS = ["ours", "fastify"] as const;
type Subject = (typeof SUBJECTS)[number];

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

/** Whatever else of ours is asked for often; nobody else has it. */
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

const SHOWN: Record<Subject, string> = {
  ours: "ours, serverless offline",
  fastify: "Fastify, better-sqlite3",
};

/**
 * Measures, prints, and writes bench/results/http.json.
 * @param quick whether few requests will do
 */
export const httpBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    const scratch = await openScratch(ends);
    moveTo("driver");
    const servers: Record<Subject, Server> = {
      ours: await startOurs(ends),
      fastify: await startFastify(ends, scratch),
    };
    const [alone, each] = quick ? [10, 2] : [200, 50];
    const plan = quick ? QUICK : { wanted: 7, most: 12 };
    const rounds = await inTurns(SUBJECTS, plan, async (subject) => {
      const server = servers[subject];
      const { hunters } = server;
      const first = hunters.slice(0, 1);
      return {
        player: runOf(await views(server, first, alone), await views(server, hunters, each)),
        hunt: runOf(await hunts(server, first, alone), await hunts(server, hunters, each)),
      };
    });
    const of = (subject: Subject, kind: "player" | "hunt", what: keyof Run): number[] =>
      rounds.values(subject, (one) => one[kind][what]);
    const kinds = [
      ["GET /player", "player"],
      ["POST /zombie/hunt", "hunt"],
    ] as const;
    await report({
      name: "http",
      quick,
      what: `${alone} requests of each kind, one after the other, and ${AT_ONCE} times ${each} at once`,
      rounds,
      tables: [
        kinds.flatMap(([request, kind]) =>
          SUBJECTS.map((subject) => ({
            request,
            subject: SHOWN[subject],
            "p50 ms": spread(of(subject, kind, "p50"), 2),
            "p99 ms": spread(of(subject, kind, "p99"), 2),
            [`in a second, ${AT_ONCE} at once`]: spread(of(subject, kind, "rate"), 0),
          })),
        ),
        kinds.map(([request, kind]) => ({
          request,
          "ours to Fastify, p50": ratio(of("ours", kind, "p50"), of("fastify", kind, "p50")).toFixed(1),
          "Fastify to ours, in a second": ratio(
            of("fastify", kind, "rate"),
            of("ours", kind, "rate"),
          ).toFixed(1),
        })),
        await others(servers.ours, quick ? 3 : 50),
      ],
      targets: [
        atMost("p50 of ours, GET /player, ms", median(of("ours", "player", "p50")), 4),
        atMost("p50 of ours, hunt, ms", median(of("ours", "hunt", "p50")), 10),
      ],
    });
    return true;
  });
