import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { Item } from "../../lib/dynamodb/database.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { interactionItem } from "../../lib/store/items.ts";
import { IS_LARGE, share } from "../support/battery.ts";
import { type Someone, testEnvironment } from "../support/service.ts";
import { fill } from "../support/table.ts";

const s = testEnvironment();

interface Node {
  infection_id: string;
  alias: string | null;
  kills: number;
  infected_at: string;
  children: Node[];
}

const treeFor = async (as: Someone, query: Record<string, string | number> = {}) => {
  const { status, body } = await s.call("GET /interactions/tree/{url_id}", { as, query });
  expect(status).toBe(200);
  return body as { roots: Node[]; size: number; truncated: boolean };
};

const nodesOf = (roots: readonly Node[]): Node[] => {
  const all: Node[] = [];
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    all.push(node);
    pending.push(...node.children);
  }
  return all;
};

describe("the tree", () => {
  it("of thousands of generations can be read part by part", async () => {
    const MANY = IS_LARGE ? share(3_000) : 500;
    const [gm, zoe] = [await s.admin(), await s.join("Zoe")];
    const context = commandContext(s.services, Date.now());
    const ids = Array.from({ length: MANY }, () => context.newId());
    const items = ids.map((interaction_id, n): Item => {
      const at = rfc3339(context.now + n);
      const hunt: Interaction = {
        ...{ interaction_id, kind: "hunt", at, recorded_at: at },
        ...{ actor: zoe.id, target: zoe.id, parent: ids[n - 1] ?? null },
      };
      return interactionItem(hunt, 0);
    });
    await fill(s.place(), items);
    const whole = await treeFor(gm);
    expect(whole).toMatchObject({ size: 200, truncated: true });
    let reached = 0;
    let next: string | undefined = whole.roots[0]?.infection_id;
    let parts = 0;
    while (next !== undefined) {
      const part: Awaited<ReturnType<typeof treeFor>> = await treeFor(gm, { root: next });
      const nodes = nodesOf(part.roots);
      parts += 1;
      reached += nodes.length - (parts === 1 ? 0 : 1);
      next = part.truncated ? nodes.at(-1)?.infection_id : undefined;
    }
    expect(reached).toBe(MANY);
  });
});
