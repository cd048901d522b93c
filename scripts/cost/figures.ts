/** The benchmark results that the cost estimate uses. */
import { numberIn, type Row, readResult, tableOf, type Units, unitsIn } from "../figures/results.ts";

export interface Figures {
  /** The date of each benchmark, as YYYY-MM-DD. */
  at: Record<string, string>;
  /** Capacity units by operation and number of shards. */
  units: (operation: string, shards: number) => Units;
  /** The numbers of shards that were measured. */
  shards: readonly number[];
  /** CPU time in milliseconds of one core. */
  cpu: { player: number; hunt: number; login: number; cold: number };
}

const NAMES = ["scale", "capacity", "warm", "cold", "login"] as const;
type Name = (typeof NAMES)[number];

/** Reads the results of the last recorded benchmarks. @throws UserError if one is missing */
export const readFigures = async (): Promise<Figures> => {
  const [scale, capacity, warm, cold, login] = await Promise.all([
    readResult("scale"),
    readResult("capacity"),
    readResult("warm"),
    readResult("cold"),
    readResult("login"),
  ]);
  const results = { scale, capacity, warm, cold, login };
  const table = (name: Name, columns: readonly string[]): readonly Row[] =>
    tableOf(name, results[name], columns);
  const cpu = (name: Name, subject: string, column: string): number =>
    numberIn(
      name,
      table(name, ["subject", column]).find((row) => row.subject === subject),
      column,
    );
  const byShards = table("scale", ["shards", "operation", "read", "write"]);
  const bySize = table("capacity", ["operation", "at 1,000"]);
  const shards = new Set(byShards.map((row) => numberIn("scale", row, "shards")));
  return {
    at: Object.fromEntries(NAMES.map((name) => [name, results[name].at.slice(0, 10)])),
    shards: [...shards].toSorted((a, b) => a - b),
    units: (operation, of) => {
      const simulated = byShards.find((row) => row.operation === operation && row.shards === of);
      if (simulated !== undefined) {
        return { read: numberIn("scale", simulated, "read"), write: numberIn("scale", simulated, "write") };
      }
      return unitsIn(
        "capacity",
        bySize.find((row) => row.operation === operation),
        "at 1,000",
      );
    },
    cpu: {
      player: cpu("warm", "ours", "GET /player, CPU µs") / 1_000,
      hunt: cpu("warm", "ours", "hunt, CPU µs") / 1_000,
      login: cpu("login", "POST /login", "CPU ms each"),
      cold: cpu("cold", "ours", "CPU of both, ms"),
    },
  };
};
