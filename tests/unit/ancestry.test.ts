/**
 * The ancestry tree of a very long game, of which a part is left out. tests/battery/model.test.ts tests its order, its sums
 * and the leaderboard.
 */
import { expect, it } from "vitest";
import {
  type AncestryNode,
  buildTree,
  groupByParent,
  MAX_GENERATIONS,
  MAX_NODES,
} from "../../lib/domain/hunts/ancestry.ts";
import type { Infection } from "../../lib/domain/hunts/interaction.ts";
import { iso, SECOND, T0 } from "./times.ts";

it("a tree of three thousand generations does not overflow the stack, and counts the kills of all that it shows", () => {
  const chain = Array.from({ length: 3_000 }, (_, n): Infection => {
    const parent = n === 0 ? null : `i${n - 1}`;
    return { infection_id: `i${n}`, parent, target: `p${n}`, at: iso(T0 + n * SECOND), voided: false };
  });
  const byParent = groupByParent(chain);
  const grow = (generations: number) => buildTree(byParent.get(null) ?? [], byParent, generations, MAX_NODES);
  const { roots, ...deep } = grow(5_000);
  expect(deep).toEqual({ size: 3_000, truncated: false });
  const targets: string[] = [];
  for (let node: AncestryNode | undefined = roots[0]; node !== undefined; node = node.children[0])
    targets.push(node.infection.target);
  expect(targets).toEqual(chain.map(({ target }) => target));
  expect(grow(MAX_GENERATIONS)).toMatchObject({ size: 200, truncated: true });
  expect(MAX_NODES).toBe(10_000);
  expect(buildTree(byParent.get(null) ?? [], byParent, 5_000, 2)).toMatchObject({
    ...{ size: 2, truncated: true },
    roots: [{ kills: 1, children: [{ kills: 1, children: [] }] }],
  });
});
