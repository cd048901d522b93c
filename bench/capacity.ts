/** The capacity units that each operation consumes, in games of several sizes. */
import type { Cell } from "../scripts/figures/results.ts";
import { OPERATIONS, type Operation } from "./capacity/operations.ts";
import type { Units } from "./support/game.ts";
import { withPlayers } from "./support/players.ts";
import { allMet, atMost, type Bench } from "./support/report.ts";

const unitsIn = ({ read, write }: Pick<Units, "read" | "write">): Cell => ({ read, write });
const playersOf = (size: number): string => size.toLocaleString("en");

const targetsOf = ({ name, target, bound = target }: Operation, measured: ReadonlyMap<number, Units>) =>
  [...measured].flatMap(([size, units]) =>
    (["read", "write"] as const).map((what) => {
      const most = Math.max(target[what], bound[what]);
      return atMost(`${name}, ${playersOf(size)} players: ${what}`, units[what], most);
    }),
  );

/** Fails if an operation exceeds its bound. @param quick whether small games are enough */
export const bench: Bench = async (quick) => {
  const sizes = quick ? [10, 1_000] : [10, 1_000, 100_000];
  const measured = OPERATIONS.map((operation) => ({ operation, bySize: new Map<number, Units>() }));
  for (const size of sizes) {
    await withPlayers(size, {}, async (fixture) => {
      const { game } = fixture;
      for (const { operation, bySize } of measured) {
        const { route, ...options } = await operation.prepare(fixture);
        bySize.set(size, await game.measure(() => game.call(route, options)));
      }
    });
  }
  const targets = measured.flatMap(({ operation, bySize }) => targetsOf(operation, bySize));
  return {
    what: "units that each operation reads / writes, by the number of players",
    tables: [
      measured.map(({ operation: { name, target }, bySize }) => ({
        operation: name,
        target: unitsIn(target),
        ...Object.fromEntries([...bySize].map(([size, units]) => [`at ${playersOf(size)}`, unitsIn(units)])),
        "of these, indexes": Object.entries([...bySize.values()].at(-1)?.indexes ?? {})
          .toSorted()
          .map(([name, units]) => `${name} ${units}`)
          .join(", "),
      })),
    ],
    // Targets that are met are in the table above.
    targets: targets.filter(({ met }) => !met),
    met: allMet(targets),
  };
};
