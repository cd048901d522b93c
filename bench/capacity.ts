/** What each operation consumes of the table, in capacity units, in games of several sizes. */
import { sceneOf } from "./capacity/crowd.ts";
import { openGame, type Units } from "./capacity/game.ts";
import { ROWS, type Row } from "./capacity/rows.ts";
import { report, type Target } from "./support/report.ts";

const SIZES = [10, 1_000, 100_000];
const QUICK_SIZES = [10, 1_000];

const bound = ({ target, least }: Row): { read: number; write: number } => ({
  read: Math.max(target.read, least?.read ?? 0),
  write: Math.max(target.write, least?.write ?? 0),
});

const inWords = ({ read, write }: { read: number; write: number }): string => `${read} / ${write}`;

const indexes = ({ indexes: by }: Units): string =>
  Object.entries(by)
    .toSorted()
    .map(([name, units]) => `${name} ${units}`)
    .join(", ");

/** The figures of a row that are over its bound, or grow with the game. */
const faultsOf = (row: Row, measured: ReadonlyMap<number, Units>): Target[] => {
  const { read, write } = bound(row);
  return [...measured].flatMap(([size, units]) => {
    const at = `${row.name}, ${size.toLocaleString("en")} players`;
    return [
      { figure: `${at}: read`, measured: units.read, target: `at most ${read}`, held: units.read <= read },
      {
        figure: `${at}: write`,
        measured: units.write,
        target: `at most ${write}`,
        held: units.write <= write,
      },
    ].filter(({ held }) => !held);
  });
};

/**
 * Counts, prints, and writes bench/results/capacity.json.
 * @param quick whether small games will do
 * @returns whether every operation keeps its bound
 */
export const capacityBench = async (quick: boolean): Promise<boolean> => {
  const sizes = quick ? QUICK_SIZES : SIZES;
  const measured = new Map<Row, Map<number, Units>>(ROWS.map((row) => [row, new Map()]));
  for (const size of sizes) {
    const game = await openGame();
    try {
      const scene = await sceneOf(game, size);
      for (const [row, by] of measured) by.set(size, await row.run(scene));
    } finally {
      await game.close();
    }
  }
  const faults = [...measured].flatMap(([row, by]) => faultsOf(row, by));
  const largest = sizes.at(-1) ?? 0;
  await report({
    name: "capacity",
    quick,
    what: "units that each operation reads / writes, by the number of players",
    tables: [
      [...measured].map(([row, by]) => {
        const last = by.get(largest);
        return {
          operation: row.name,
          "asked for": inWords(row.target),
          ...Object.fromEntries(
            [...by].map(([size, units]) => [`at ${size.toLocaleString("en")}`, inWords(units)]),
          ),
          "of that, indexes": last === undefined ? "" : indexes(last),
        };
      }),
      ROWS.flatMap(({ name, least }) =>
        least === undefined ? [] : [{ operation: name, least: inWords(least), because: least.because }],
      ),
    ],
    targets: faults,
    more: {
      units: [...measured].map(([{ name, target, least }, by]) => ({
        operation: name,
        target,
        least: least ?? null,
        measured: Object.fromEntries(by),
      })),
    },
  });
  return faults.length === 0;
};
