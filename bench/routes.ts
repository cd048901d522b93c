/** The most that a request of each route costs: units, bytes and processor time, also without a token. */
import { buildWeb } from "../scripts/bundle/web.ts";
import type { Cell } from "../scripts/figures/results.ts";
import { type Amount, BOUNDS, type Bound, REJECTED, REJECTED_IN_PUBLIC, USUAL_CPU } from "./routes/bounds.ts";
import { allRoutes, type Cost, measureRoute, type Route } from "./routes/measure.ts";
import { onStage } from "./routes/stage.ts";
import { allMet, atMost, type Bench, type Row, type Target } from "./support/report.ts";

/** The route whose processor time the others are compared with. */
const COMPARED_WITH = "GET /player/{url_id}";

/** A route with its bound, and what its requests have cost. */
interface Measured extends Route {
  bound: Bound;
  costs: readonly Cost[];
}

/** @throws Error for a route without a bound */
const boundOf = (route: string): Bound => {
  const bound = BOUNDS[route.replace(/^HEAD /, "GET ")];
  if (bound === undefined) throw new Error(`${route} has no bound. Add it to bench/routes/bounds.ts.`);
  // A HEAD costs what the GET costs, but for the body.
  return route.startsWith("HEAD ") ? { ...bound, kb: REJECTED.kb } : bound;
};

/** In kilobytes; rounded up, so that a rounded figure hides no excess. */
const kilobytes = (bytes: number): number => Math.ceil(bytes / 100) / 10;

const perByteOf = ({ bytes, received }: Cost): number => Math.ceil(bytes / received);

const amountOf = (amount: Amount, players: number): number =>
  typeof amount === "number" ? amount : amount(players);

const targetsOf = ({ route, handler, bound, costs }: Measured, players: number): Target[] => {
  const rejected = handler.endpoint.access === "public" ? REJECTED_IN_PUBLIC : REJECTED;
  return costs.flatMap((cost) => {
    const { way, read, write, bytes, compressed, first } = cost;
    const own = way === "rejected" ? rejected : bound;
    const check = (what: string, measured: number, most: Amount): Target =>
      atMost(`${route}, ${way}: ${what}`, measured, amountOf(most, players));
    const isFirstDearer = first.read !== read || first.write !== write;
    return [
      check("read", read, own.read),
      check("write", write, own.write),
      ...(isFirstDearer
        ? [
            check("read the first time", first.read, own.first?.read ?? own.read),
            check("write the first time", first.write, own.first?.write ?? own.write),
          ]
        : []),
      check("KB", kilobytes(Math.max(bytes, compressed ?? 0)), own.kb),
      ...(way === "nobody" && own.perByte !== undefined
        ? [check("bytes sent for each received", perByteOf(cost), own.perByte)]
        : []),
    ];
  });
};

const cpuOf = (costs: readonly Cost[]): number => Math.max(...costs.map(({ cpu }) => cpu));

/** The most units of several requests. */
const unitsIn = (units: readonly { read: number; write: number }[]): Cell =>
  units.length === 0
    ? ""
    : {
        read: Math.max(...units.map(({ read }) => read)),
        write: Math.max(...units.map(({ write }) => write)),
      };

const rowOf = ({ route, bound, costs }: Measured, players: number, unit: number): Row => {
  const shown = (amount: Amount): number => Math.ceil(10 * amountOf(amount, players)) / 10;
  const of = (...ways: string[]): Cost[] => costs.filter(({ way }) => ways.includes(way));
  const called = of("nobody", "token", "largest");
  const once = called.filter(({ read, write, first }) => first.read !== read || first.write !== write);
  const largest = called.reduce((most, one) => (one.bytes > most.bytes ? one : most));
  return {
    route,
    "no token, rejected": unitsIn(of("rejected")),
    "no token": unitsIn(of("nobody")),
    token: unitsIn(of("token")),
    largest: unitsIn(of("largest")),
    bound: { read: shown(bound.read), write: shown(bound.write) },
    "the first time": unitsIn(once.map(({ first }) => first)),
    KB: kilobytes(largest.bytes),
    compressed: largest.compressed === undefined ? "" : kilobytes(largest.compressed),
    "KB, bound": shown(bound.kb),
    "sent per byte": Math.max(0, ...of("nobody", "rejected").map(perByteOf)),
    CPU: Number((cpuOf(costs) / unit).toFixed(1)),
  };
};

/** Fails if a request exceeds a bound of units or bytes. @param quick whether a small game is enough */
export const bench: Bench = async (quick) => {
  await buildWeb();
  const size = quick ? 60 : 5_000;
  const measured: Measured[] = [];
  await onStage(size, async (stage) => {
    for (const one of await allRoutes()) {
      const bound = boundOf(one.route);
      measured.push({ ...one, bound, costs: await measureRoute(stage, one, quick ? 2 : 4) });
    }
  });
  const unit = cpuOf(measured.find(({ route }) => route === COMPARED_WITH)?.costs ?? []);
  const targets = measured.flatMap((one) => targetsOf(one, size));
  const times = measured.map(({ route, bound: { cpu = USUAL_CPU }, costs }) => {
    return atMost(`${route}: processor time`, cpuOf(costs) / unit, amountOf(cpu, size));
  });
  return {
    what: `the most that a request of each route costs, among ${size.toLocaleString("en")} players: units read / written, kilobytes, and processor time as a multiple of that of GET /player`,
    tables: [measured.map((one) => rowOf(one, size, unit))],
    // Those that are met are in the table above.
    targets: [...targets, ...times].filter(({ met }) => !met),
    met: allMet(targets),
  };
};
