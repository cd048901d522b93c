/** The capacity units that each operation consumes, in games of several sizes. */
import { OPERATIONS, type Operation } from "./capacity/operations.ts";
import type { Units } from "./support/game.ts";
import { withPlayers } from "./support/players.ts";
import { allHeld, atMost, report } from "./support/report.ts";

const SIZES = [10, 1_000, 100_000];
const QUICK_SIZES = [10, 1_000];

const formatUnits = ({ read, write }: { read: number; write: number }): string => `${read} / ${write}`;
const playersOf = (size: number): string => size.toLocaleString("en");

const targetsOf = ({ name, target, bound = target }: Operation, measured: ReadonlyMap<number, Units>) =>
  [...measured].flatMap(([size, units]) =>
    (["read", "write"] as const).map((what) => {
      const most = Math.max(target[what], bound[what]);
      return atMost(`${name}, ${playersOf(size)} players: ${what}`, units[what], most);
    }),
  );

/**
 * Measures, prints, and writes bench/results/capacity.json.
 * @param quick whether small games are enough
 * @returns whether every operation is within its bound
 */
export const capacityBench = async (quick: boolean): Promise<boolean> => {
  const sizes = quick ? QUICK_SIZES : SIZES;
  const measured = OPERATIONS.map((operation) => ({ operation, bySize: new Map<number, Units>() }));
  for (const size of sizes) {
    await withPlayers(size, {}, async (fixture) => {
      for (const { operation, bySize } of measured) bySize.set(size, await operation.run(fixture));
    });
  }
  const targets = measured.flatMap(({ operation, bySize }) => targetsOf(operation, bySize));
  await report({
    name: "capacity",
    quick,
    what: "units that each operation reads / writes, by the number of players",
    tables: [
      measured.map(({ operation: { name, target }, bySize }) => ({
        operation: name,
        target: formatUnits(target),
        ...Object.fromEntries(
          [...bySize].map(([size, units]) => [`at ${playersOf(size)}`, formatUnits(units)]),
        ),
        "of these, indexes": Object.entries([...bySize.values()].at(-1)?.indexes ?? {})
          .toSorted()
          .map(([name, units]) => `${name} ${units}`)
          .join(", "),
      })),
    ],
    // Targets that are met are in the table above.
    targets: targets.filter(({ held }) => !held),
  });
  return allHeld(targets);
};
