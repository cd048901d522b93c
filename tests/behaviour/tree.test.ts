import { describe, expect, it } from "vitest";
import type { Infection, Interaction } from "../../lib/domain/interaction.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { share } from "../support/battery.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

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
    const MANY = share(3_000, 900);
    const [gm, zoe] = [await s.admin(), await s.join("Zoe")];
    const context = commandContext(s.services, Date.now());
    const chain: Infection[] = [];
    for (let n = 0; n < MANY; n += 1) {
      const parent = chain[n - 1]?.infection_id ?? null;
      chain.push({
        infection_id: context.newId(),
        parent,
        target: zoe.id,
        at: rfc3339(context.now + n),
        voided: false,
      });
    }
    for (let at = 0; at < chain.length; at += 100) {
      const interactions = chain.slice(at, at + 100).map(
        ({ infection_id, parent, target, at: happened }): Interaction => ({
          interaction_id: infection_id,
          kind: "hunt",
          at: happened,
          recorded_at: happened,
          actor: zoe.id,
          target,
          parent,
        }),
      );
      await s.store.commit(await writesOf({ interactions }), () => 10_000);
    }
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
