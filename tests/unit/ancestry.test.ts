/** The ancestry tree. tests/battery/model.test.ts tests the leaderboard. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type AncestryNode,
  buildTree,
  groupByParent,
  MAX_GENERATIONS,
  MAX_NODES,
} from "../../lib/domain/hunts/ancestry.ts";
import type { Infection } from "../../lib/domain/hunts/interaction.ts";
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
  const found = [...roots];
  // The loop also visits nodes that are added meanwhile.
  for (const node of found) found.push(...node.children);
  return found;
};

const ids = (nodes: readonly AncestryNode[] = []): string[] => nodes.map((node) => node.infection.target);

it("a tree of three thousand generations does not overflow the stack", () => {
  const chain = Array.from({ length: 3_000 }, (_, at) => infection(at, at === 0 ? null : at - 1));
  const deep = grow(chain, 5_000);
  expect(deep).toMatchObject({ size: 3_000, truncated: false });
  expect(ids(nodesOf(deep.roots))).toEqual(chain.map(({ target }) => target));
  expect(grow(chain)).toMatchObject({ size: 200, truncated: true });
  expect(MAX_NODES).toBe(10_000);
});

it("a tree has every infection once, below its parent, in the order of their times", () => {
  const one = fc.record({ parent: fc.nat(1_000), at: fc.nat(9), voided: fc.boolean() });
  const forest = fc.array(one, { minLength: 1, maxLength: 80, size: "max" });
  const bounds = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100 }));
  fc.assert(
    fc.property(forest, bounds, (given, [depth, maxNodes]) => {
      const all = given.map(({ parent, at, voided }, id) => ({
        ...infection(id, id === 0 || parent % 5 === 0 ? null : parent % id, at),
        voided,
      }));
      const tree = grow(all, depth, maxNodes);
      expect(grow(all.toReversed(), depth, maxNodes)).toEqual(tree);
      const nodes = nodesOf(tree.roots);
      expect(new Set(ids(nodes)).size).toBe(nodes.length);
      expect(tree).toMatchObject({ size: nodes.length, truncated: nodes.length < all.length });
      expect(tree.size).toBeLessThanOrEqual(maxNodes);
      const orderOf = ({ infection: { at, infection_id } }: AncestryNode) => `${at} ${infection_id}`;
      for (const { infection: one, kills, children } of nodes) {
        expect(kills).toBe(all.filter(({ parent, voided }) => parent === one.infection_id && !voided).length);
        expect(children.map(orderOf)).toEqual(children.map(orderOf).toSorted());
        for (const child of children) expect(child.infection.parent).toBe(one.infection_id);
      }
    }),
    { numRuns: 200 },
  );
});
