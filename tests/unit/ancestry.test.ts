/** The ancestry tree and the leaderboard. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type AncestryNode,
  buildTree,
  groupByParent,
  MAX_GENERATIONS,
  MAX_NODES,
} from "../../lib/domain/ancestry.ts";
import type { Infection } from "../../lib/domain/interaction.ts";
import { withRanks } from "../../lib/domain/leaderboard.ts";
import { killsOrder } from "../../lib/store/keys.ts";
import { deepFreeze } from "./support.ts";
import { iso, SECOND, T0 } from "./times.ts";

const idOf = (id: number): string => `i${String(id).padStart(6, "0")}`;

const infection = (id: number, parent: number | null, at = id): Infection => ({
  ...{ infection_id: idOf(id), parent: parent === null ? null : idOf(parent), target: `p${id}` },
  ...{ at: iso(T0 + at * SECOND), voided: false },
});

const grow = (all: readonly Infection[], depth = MAX_GENERATIONS, maxNodes = MAX_NODES) => {
  const byParent = groupByParent(deepFreeze(all));
  return buildTree(byParent.get(null) ?? [], byParent, depth, maxNodes);
};

const nodesOf = (roots: readonly AncestryNode[]): AncestryNode[] => {
  const found: AncestryNode[] = [];
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node);
    pending.push(...node.children);
  }
  return found;
};

const ids = (nodes: readonly AncestryNode[] = []): string[] => nodes.map((node) => node.infection.target);

it("a tree is ordered by the time of infection, in whatever order infections were recorded", () => {
  const all = [infection(5, 1, 2), infection(4, 1, 3), infection(3, null, 1), infection(1, null, 9)];
  all.push(infection(6, 1, 3));
  const tree = grow(all);
  expect(ids(tree.roots)).toEqual(["p3", "p1"]);
  expect(ids(tree.roots[1]?.children)).toEqual(["p5", "p4", "p6"]);
  expect(tree).toMatchObject({ size: 5, truncated: false });
  expect(grow(all.toReversed())).toEqual(tree);
});

it("a tree does not count a voided kill, but shows what followed from it", () => {
  const voided = { ...infection(2, 1), voided: true };
  const [root] = grow([infection(1, null), voided, infection(3, 1), infection(4, 2)]).roots;
  expect(root).toMatchObject({ kills: 1 });
  expect(root?.children.map(({ kills }) => kills)).toEqual([1, 0]);
  expect(ids(root?.children)).toEqual(["p2", "p3"]);
});

it("a tree of three thousand generations does not overflow the stack", () => {
  const chain = Array.from({ length: 3_000 }, (_, at) => infection(at, at === 0 ? null : at - 1));
  const deep = grow(chain, 5_000);
  expect(deep).toMatchObject({ size: 3_000, truncated: false });
  expect(ids(nodesOf(deep.roots))).toEqual(chain.map(({ target }) => target));
  expect(grow(chain)).toMatchObject({ size: 200, truncated: true });
});

it("a tree has every infection once, below its parent", () => {
  const forest = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 80, size: "max" });
  const bounds = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100 }));
  fc.assert(
    fc.property(forest, bounds, (parents, [depth, maxNodes]) => {
      const all = parents.map((parent, at) =>
        infection(at, at === 0 || parent % 5 === 0 ? null : parent % at),
      );
      const tree = grow(all, depth, maxNodes);
      const nodes = nodesOf(tree.roots);
      expect(new Set(ids(nodes)).size).toBe(nodes.length);
      expect(tree).toMatchObject({ size: nodes.length, truncated: nodes.length < all.length });
      expect(tree.size).toBeLessThanOrEqual(maxNodes);
      for (const { infection: one, kills, children } of nodes) {
        expect(kills).toBe(all.filter(({ parent }) => parent === one.infection_id).length);
        for (const child of children) expect(child.infection.parent).toBe(one.infection_id);
      }
    }),
    { numRuns: 200 },
  );
});

it("the leaderboard ranks in the order of the table: by kills, then by who reached them first", () => {
  const standing = fc.record({ kills: fc.nat(12_000), last: fc.nat(5), id: fc.uuid() });
  fc.assert(
    fc.property(fc.array(standing, { maxLength: 30, size: "max" }), (all) => {
      const lastOf = ({ kills, last }: { kills: number; last: number }) => (kills === 0 ? null : last);
      const keyOf = (one: { kills: number; last: number; id: string }) => {
        const last = lastOf(one);
        return killsOrder(one.kills, last === null ? null : iso(T0 + last), one.id);
      };
      const sorted = all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const given = sorted.map((one) => ({ ...one, last: lastOf(one) }));
      const ranks = withRanks(
        given.map(({ kills, last }) => ({ kills, last_kill_at: last === null ? null : iso(T0 + last) })),
      ).map(({ rank }) => rank);
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
