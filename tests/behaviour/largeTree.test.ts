/** The tree below one infection of a game with more infections than one page of their list. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { TreeNode } from "../../lib/app/hunts/ancestry.ts";
import { interactionItem } from "../../lib/store/items.ts";
import { testEnvironment } from "../support/service.ts";
import { fill } from "../support/table.ts";

/** How many families were read one by one, each with one query. */
let families = 0;
const s = testEnvironment({
  services: ({ store }) => ({
    store: {
      ...store,
      infectedBy(parent) {
        families += 1;
        return store.infectedBy(parent);
      },
    },
  }),
});

/** The first infections are a tree with three children of each; then follow two lines without branches, side by side. */
const [IN_TREE, IN_LINES] = [2_050, 250];
const id = (at: number) => `01900000-0000-7000-8000-${String(at).padStart(12, "0")}`;
const parentOf = (n: number) =>
  n < IN_TREE ? Math.floor((n - 1) / 3) : n === IN_TREE ? 0 : Math.max(n - 2, IN_TREE);

it("is the same part of the whole tree, read family by family or from the list, in few queries", async () => {
  const as = await s.admin();
  const infections = Array.from({ length: IN_TREE + IN_LINES }, (_, n) => {
    const at = new Date(1e12 + n * 1_000).toISOString();
    const ids = { interaction_id: id(n), parent: n === 0 ? null : id(parentOf(n)), target: randomUUID() };
    return interactionItem({ ...ids, kind: "hunt", at, recorded_at: at, actor: null }, 0);
  });
  await fill(s.place(), infections);
  const read = async (query: Record<string, string>) =>
    (await s.must("GET /interactions/tree/{url_id}", { as, query })).body;

  const { roots, size } = await read({});
  expect(size).toBe(infections.length);
  const all: TreeNode[] = [...roots];
  for (const node of all) all.push(...node.children);
  const nodes = new Map(all.map((node) => [node.infection_id, node]));

  for (const [root, most] of [
    [0, 0], // Most of the first page is below it.
    [670, 4], // Its children are on the second page.
    [IN_TREE + 100, 76], // The rest of a line.
    [IN_TREE, 200], // More families than are read one by one.
  ] as const) {
    families = 0;
    expect((await read({ root: id(root) })).roots, `below ${root}`).toEqual([nodes.get(id(root))]);
    expect(families, `queries below ${root}`).toBeLessThanOrEqual(most);
  }
});
