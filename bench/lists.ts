/** Measures units, milliseconds and bytes of lists, by the number of players. */
import { brotliCompressSync, constants } from "node:zlib";
import type { RequestOptions } from "./support/events.ts";
import { spreadOf } from "./support/numbers.ts";
import { type Fixture, sizesFor, withPlayers } from "./support/players.ts";
import { allMet, atMost, type Bench, type Row, type Target } from "./support/report.ts";

/** With so many players, the complete tree has as many infections as a response may. It has targets. */
const TREE_SIZE = 30_000;

type Body = Record<string, unknown>;

interface List {
  name: string;
  route: string;
  query?: (fixture: Fixture) => Promise<RequestOptions["query"]>;
  /** The field of the body that contains the entries, or their number. */
  counts: string;
  minEntries: number;
  /** Returns the maximum read units, for a game of any size. */
  maxUnits?: (body: Body, entries: number) => number;
  /** Returns the maximum calls of the database, for a game of any size. */
  maxCalls?: (entries: number) => number;
}

const TREE = "GET /interactions/tree/{url_id}";

/** The maximum read units of interactions: half a unit for each name, and up to nine for the token and the entries. */
const unitsOfInteractions = (body: Body): number =>
  9 + new Set(JSON.stringify(body).match(/(?<="(?:actor|target)":")[^"]+/g)).size / 2;

/** Returns the query for the tree below the first zombie whom another player infected. */
const largestBranch = async ({ game, gm }: Fixture): Promise<RequestOptions["query"]> => {
  const { roots } = await game.call(TREE, { as: gm, query: { depth: "2" } });
  const infected = roots.flatMap(({ children }: { children: Body[] }) => children);
  if (infected.length === 0) throw new Error("nobody was infected by another player");
  return { root: infected[0].infection_id, depth: "4" };
};

/** Returns the query for the tree below the only original zombie: all infections. */
const firstRoot = async ({ game, gm }: Fixture): Promise<RequestOptions["query"]> => {
  const { roots } = await game.call(TREE, { as: gm, query: { depth: "1" } });
  return { root: roots[0].infection_id };
};

const top100 = (name: string, route: string, counts: string, maxUnits: (body: Body) => number): List => ({
  name,
  route,
  query: async () => ({ limit: "100" }),
  counts,
  minEntries: 100,
  maxUnits,
});

const LISTS: readonly List[] = [
  top100("leaderboard, top 100", "GET /interactions/leaderboard/{url_id}", "players", () => 5),
  top100("page of 100 users", "GET /users/{url_id}", "users", () => 6),
  top100("page of 100 interactions", "GET /interactions/{url_id}", "interactions", unitsOfInteractions),
  // Up to a thousand hungry zombies are counted for each request; a larger number is cached by the process.
  top100("starvation list, 100", "GET /zombie/starvation/{url_id}", "zombies", () => 32),
  { name: "complete tree", route: TREE, counts: "size", minEntries: 300 },
  {
    name: "tree below the original zombie",
    route: TREE,
    query: firstRoot,
    counts: "size",
    minEntries: 300,
    // For each hundred nodes, their names and at most one query.
    maxCalls: (entries) => 5 + (2 * entries) / 100,
  },
  {
    name: "tree, four generations of a zombie",
    route: TREE,
    query: largestBranch,
    counts: "size",
    minEntries: 40,
    // Each node costs a query for its children, and its name, after the first page of all infections.
    maxUnits: (_, entries) => 65 + entries,
  },
];

/** Lists of a game that has lasted a week. The first call of the statistics stores the closed hours; later calls read them. */
const OF_A_WEEK: readonly List[] = [
  {
    name: "statistics of a week",
    route: "GET /interactions/stats/{url_id}",
    counts: "points",
    minEntries: 150,
  },
  top100("leaderboard of a week", "GET /interactions/leaderboard/{url_id}", "players", () => 6),
  // This board reads the complete roster.
  {
    name: "survivors of a week",
    route: "GET /interactions/leaderboard/{url_id}",
    query: async () => ({ limit: "100", board: "survivors" }),
    counts: "players",
    minEntries: 100,
  },
];

/** Feedings are spread over two days: half of the zombies have less than a day left, an eighth less than six hours. */
const fedHoursAgo = (nth: number): number => nth % 47;

/** Returns the size after compression, with the same settings as the service uses for browsers. */
const compressedSize = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length;

/** Fails if a list exceeds its bound of units or calls. @param quick whether a small game is enough */
export const bench: Bench = async (quick) => {
  const table: Row[] = [];
  const bounds: Target[] = [];
  const others: Target[] = [];
  const measure = async (fixture: Fixture, size: number, list: List): Promise<void> => {
    const { game, gm } = fixture;
    const query = await list.query?.(fixture);
    const times: number[] = [];
    const reads: number[] = [];
    let body: Body = {};
    let calls = 0;
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      const started = performance.now();
      const { read, calls: made } = await game.measure(async () => {
        body = await game.call(list.route, { as: gm, ...(query === undefined ? {} : { query }) });
      });
      times.push(performance.now() - started);
      reads.push(read);
      calls = made;
    }
    const counted = body[list.counts];
    const entries = Array.isArray(counted) ? counted.length : Number(counted);
    if (!(entries >= list.minEntries)) throw new Error(`${list.name}: only ${entries} entries`);
    const [first = 0, read = first] = [reads.at(0), reads.at(-1)];
    const text = JSON.stringify(body);
    const compressed = compressedSize(text);
    const players = size.toLocaleString("en");
    table.push({
      list: list.name,
      players,
      entries,
      read,
      "the first time": first === read ? "" : first,
      calls,
      ms: spreadOf(times, 1),
      bytes: text.length,
      compressed,
    });
    const name = `${list.name}, ${players} players`;
    if (list.maxUnits !== undefined) {
      bounds.push(atMost(`${name}: units`, read, list.maxUnits(body, entries)));
    }
    if (list.maxCalls !== undefined) bounds.push(atMost(`${name}: calls`, calls, list.maxCalls(entries)));
    if (size === TREE_SIZE && list.name === "complete tree") {
      others.push(
        atMost("complete tree, seconds", Math.max(...times) / 1_000, 1.5),
        atMost("complete tree, compressed MB", compressed / 1e6, 2),
      );
    }
  };
  for (const size of sizesFor(quick)) {
    await withPlayers(size, { fedHoursAgo }, async (fixture) => {
      for (const list of LISTS) await measure(fixture, size, list);
    });
  }
  if (!quick) {
    await withPlayers(TREE_SIZE, { fedHoursAgo }, async (fixture) => {
      for (const list of LISTS) if (list.route === TREE) await measure(fixture, TREE_SIZE, list);
    });
  }
  for (const size of quick ? [300] : [300, 5_000]) {
    await withPlayers(size, { days: 7 }, async (fixture) => {
      for (const list of OF_A_WEEK) await measure(fixture, size, list);
    });
  }
  return {
    what: "lists in process, by the number of players",
    tables: [table],
    targets: [...bounds, ...others],
    met: allMet(bounds),
  };
};
