/** What a list costs to read, in units, time and bytes, by how many players there are. */
import { brotliCompressSync, constants } from "node:zlib";
import { sceneOf } from "./capacity/crowd.ts";
import { type Asking, openGame } from "./capacity/game.ts";
import { spread } from "./support/numbers.ts";
import { atMost, type Row, report, type Target } from "./support/report.ts";

const SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [1_000];
const WHOLE_TREE = 100_000;

interface List {
  name: string;
  route: string;
  query?: Asking["query"] | ((whole: () => Promise<TreeAnswer>) => Promise<Asking["query"]>);
  /** How many entries must be there. */
  entries: (answer: Record<string, unknown>) => number;
  least: number;
  /** Units, in a game of any size; those that it must have. */
  most: (answer: Record<string, unknown>) => number;
}

interface TreeNode {
  infection_id: string;
  children: TreeNode[];
}
interface TreeAnswer {
  roots: TreeNode[];
}

const lengthOf =
  (name: string) =>
  (answer: Record<string, unknown>): number => {
    const list = answer[name];
    return Array.isArray(list) ? list.length : 0;
  };

/** Who is named in a list of interactions: the name that each has now is half a unit. */
const peopleIn = (answer: Record<string, unknown>): number =>
  new Set(JSON.stringify(answer).match(/(?<="(?:actor|target)":")[^"]+/g)).size;

/** Door, and the entries themselves. */
const BESIDE_NAMES = 9;

const anything = (): number => Number.POSITIVE_INFINITY;

const LISTS: readonly List[] = [
  {
    name: "leaderboard, top 100",
    route: "GET /interactions/leaderboard/{url_id}",
    query: { limit: "100" },
    entries: lengthOf("players"),
    least: 100,
    most: () => 5,
  },
  {
    name: "page of 100 users",
    route: "GET /users/{url_id}",
    query: { limit: "100" },
    entries: lengthOf("users"),
    least: 100,
    most: () => 5,
  },
  {
    name: "page of 100 interactions",
    route: "GET /interactions/{url_id}",
    query: { limit: "100" },
    entries: lengthOf("interactions"),
    least: 100,
    most: (answer) => BESIDE_NAMES + peopleIn(answer) / 2,
  },
  {
    name: "starvation list, 100",
    route: "GET /zombie/starvation/{url_id}",
    query: { limit: "100" },
    entries: lengthOf("zombies"),
    least: 100,
    // Up to a thousand hungry zombies are counted for whoever asks; of more, a process knows how many there just were.
    most: () => 32,
  },
  {
    name: "tree, whole",
    route: "GET /interactions/tree/{url_id}",
    entries: ({ size }) => Number(size),
    least: 300,
    most: anything,
  },
  {
    name: "tree, four generations of a zombie",
    route: "GET /interactions/tree/{url_id}",
    query: async (whole) => {
      const { roots } = await whole();
      // The one who began the crowd has infected the most.
      const [child] = roots.flatMap(({ children }) => children);
      if (child === undefined) throw new Error("nobody has infected anybody");
      return { root: child.infection_id, depth: "4" };
    },
    entries: ({ size }) => Number(size),
    least: 40,
    // For each node those whom it infected, and its name.
    most: ({ size }) => 5 + Number(size),
  },
];

/** Meals all over two days: half of the zombies have less than a day left, an eighth less than six hours. */
const SPREAD = 47;

/** As the service compresses what goes to a browser. */
const compressed = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length;

/**
 * Measures, prints, and writes bench/results/lists.json.
 * @param quick whether a small game will do
 * @returns whether each keeps its bound in units
 */
export const listsBench = async (quick: boolean): Promise<boolean> => {
  const table: Row[] = [];
  const units: Target[] = [];
  const times: Target[] = [];
  for (const size of quick ? QUICK_SIZES : SIZES) {
    const game = await openGame();
    try {
      const { gm } = await sceneOf(game, size, (nth) => nth % SPREAD);
      for (const { name, route, query, entries, least, most } of LISTS) {
        const whole = () => game.call("GET /interactions/tree/{url_id}", { as: gm, query: { depth: "2" } });
        const asked = typeof query === "function" ? await query(whole) : query;
        const asking: Asking = { as: gm, ...(asked === undefined ? {} : { query: asked }) };
        const spent: number[] = [];
        const reads: number[] = [];
        let answer: Record<string, unknown> = {};
        for (let round = 0; round < (quick ? 1 : 5); round += 1) {
          const started = performance.now();
          const { read } = await game.measured(async () => {
            answer = await game.call(route, asking);
          });
          spent.push(performance.now() - started);
          reads.push(read);
        }
        const [first = 0, read = first] = [reads.at(0), reads.at(-1)];
        if (entries(answer) < least) throw new Error(`${name}: just ${entries(answer)} entries`);
        const text = JSON.stringify(answer);
        const players = size.toLocaleString("en");
        const small = compressed(text);
        table.push({
          list: name,
          players,
          entries: entries(answer),
          read,
          "the first time": first === read ? "" : first,
          ms: spread(spent, 1),
          bytes: text.length,
          compressed: small,
        });
        const bound = most(answer);
        if (Number.isFinite(bound)) units.push(atMost(`${name}, ${players} players: units`, read, bound));
        if (name === "tree, whole" && size === WHOLE_TREE) {
          times.push(
            atMost("whole tree, seconds", Math.max(...spent) / 1_000, 1.5),
            atMost("whole tree, compressed MB", small / 1e6, 2),
          );
        }
      }
    } finally {
      await game.close();
    }
  }
  await report({
    name: "lists",
    quick,
    what: "lists as they are answered in process, by the number of players",
    tables: [table],
    targets: [...units, ...times],
  });
  return units.every(({ held }) => held);
};
