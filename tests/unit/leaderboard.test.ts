/** The ranks of the leaderboard. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { withRanks } from "../../lib/domain/leaderboard.ts";
import { killsOrder } from "../../lib/store/keys.ts";
import { iso, T0 } from "./times.ts";

/** A standing: kills, and when the last one was, in milliseconds after T0; `null` for never. */
type Standing = [kills: number, last: number | null];

const ranksOf = (standings: Standing[]) =>
  withRanks(
    standings.map(([kills, last]) => ({ kills, last_kill_at: last === null ? null : iso(T0 + last) })),
  ).map(({ rank }) => rank);

it("ranks in the order of the table: by kills, then by who reached them first", () => {
  const standing = fc.record({ kills: fc.nat(12_000), last: fc.nat(5), id: fc.uuid() });
  fc.assert(
    fc.property(fc.array(standing, { maxLength: 30, size: "max" }), (all) => {
      const lastOf = ({ kills, last }: { kills: number; last: number }) => (kills === 0 ? null : last);
      const keyOf = (one: { kills: number; last: number; id: string }) => {
        const last = lastOf(one);
        return killsOrder(one.kills, last === null ? null : iso(T0 + last), one.id);
      };
      const sorted = all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const ranks = ranksOf(sorted.map((one) => [one.kills, lastOf(one)]));
      for (const [at, one] of sorted.entries()) {
        const better = sorted.filter(
          ({ kills, last }) => kills > one.kills || (kills > 0 && kills === one.kills && last < one.last),
        );
        expect(ranks[at]).toBe(better.length + 1);
      }
    }),
    { numRuns: 500 },
  );
});
