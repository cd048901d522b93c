/** The ancestry tree: whoever is cured and tagged again, it stays a tree. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Infection, Interaction } from "../../lib/domain/interaction.ts";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { QUICK, type Someone, TRANSPORT, testEnvironment } from "../support/service.ts";

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
  it("has no cycle after any sequence of hunts and cures, and one node for each infection", async () => {
    const RUNS = TRANSPORT === "http" ? 3 : QUICK ? 8 : 25;
    const gm = await s.admin();
    const cast: Someone[] = [];
    for (const name of ["Ann", "Bob", "Cid", "Dot"]) cast.push(await s.join(name));
    let runs = 0;
    let infections = 0;
    const step = fc.record({ kind: fc.constantFrom("hunt", "cure", "rise"), a: fc.nat(3), b: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 16 }), async (steps) => {
        runs += 1;
        for (const { kind, a, b } of steps) {
          const [one, other] = [cast[a], cast[b]];
          if (one === undefined || other === undefined) continue;
          if (kind === "cure") {
            await s.call("POST /admin/cure/{url_id}", { as: gm, body: { player_id: one.id } });
          } else if (kind === "rise") {
            await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: one.id } });
            const risen = await s.call("POST /admin/revive_z/{url_id}", {
              as: gm,
              body: { player_id: one.id },
            });
            if (risen.status === 200) infections += 1;
          } else {
            const code = (await s.see(other)).tag_code;
            if (code !== null && (await s.hunt(one, code)).status === 200) infections += 1;
          }
        }
        const tree = await treeFor(gm);
        const nodes = nodesOf(tree.roots);
        expect(nodes).toHaveLength(infections);
        expect(tree.size).toBe(infections);
        expect(new Set(nodes.map(({ infection_id }) => infection_id)).size).toBe(infections);
        expect(nodes.reduce((sum, { kills }) => sum + kills, 0)).toBe(infections - tree.roots.length);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(runs).toBe(RUNS);
    expect(infections).toBeGreaterThan(RUNS);
  });

  it("of three thousand generations neither overflows nor times out", async () => {
    const MANY = QUICK ? 900 : 3_000;
    const gm = await s.admin();
    const zoe = await s.join("Zoe");
    const moment = commandContext(s.services, Date.now());
    const chain: Infection[] = [];
    for (let n = 0; n < MANY; n += 1) {
      const parent = chain[n - 1]?.infection_id ?? null;
      chain.push({
        infection_id: moment.newId(),
        parent,
        target: zoe.id,
        at: rfc3339(moment.now + n),
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
      await s.store.commit(await writesOf({ interactions }, 1), () => 10_000);
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

  it("grows from any infection down, to any depth, and counts kills that it does not show", async () => {
    const gm = await s.admin();
    const cast: Someone[] = [];
    for (const name of ["Ann", "Bob", "Cid", "Dot"]) cast.push(await s.join(name));
    const [ann, bob, cid, dot] = cast as [Someone, Someone, Someone, Someone];
    await s.outbreak(gm, ann);
    const tag = (await s.hunt(ann, bob)).body.interaction.details;
    await s.hunt(bob, cid);
    await s.hunt(bob, dot);
    expect(tag.parent_infection_id).toBe((await treeFor(gm)).roots[0]?.infection_id);
    const below = await treeFor(gm, { root: tag.infection_id, depth: 1 });
    expect(below).toMatchObject({
      size: 1,
      truncated: true,
      roots: [{ alias: "Bob", kills: 2, children: [] }],
    });
    expect(await treeFor(gm, { depth: 2 })).toMatchObject({ size: 2, truncated: true });
    const all = await treeFor(gm, { root: tag.infection_id });
    expect(all).toMatchObject({ size: 3, truncated: false });
    expect(all.roots[0]?.children.map(({ alias }) => alias)).toEqual(["Cid", "Dot"]);
    const unknown = await s.call("GET /interactions/tree/{url_id}", {
      as: gm,
      query: { root: commandContext(s.services, Date.now()).newId() },
    });
    expect(unknown).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("of nobody is empty", async () => {
    expect(await treeFor(await s.join("Ada"))).toEqual({ roots: [], size: 0, truncated: false });
  });
});

describe("the leaderboard", () => {
  it("ranks by kills, then by who reached them first; equals share a rank", async () => {
    const gm = await s.admin();
    const hunters: Someone[] = [];
    for (const name of ["Ann", "Bob", "Cid"]) hunters.push(await s.join(name));
    const [ann, bob, cid] = hunters as [Someone, Someone, Someone];
    for (const one of hunters) await s.outbreak(gm, one);
    const board = async () =>
      (await s.call("GET /interactions/leaderboard/{url_id}", { as: gm })).body.players.map(
        ({ rank, alias, kills }: Record<string, unknown>) => [rank, alias, kills],
      );
    expect((await board()).map(([rank]: [number]) => rank)).toEqual([1, 1, 1]);
    await s.hunt(bob, await s.join("Prey A"));
    await s.hunt(ann, await s.join("Prey B"));
    await s.hunt(ann, await s.join("Prey C"));
    await s.hunt(cid, await s.join("Prey D"));
    expect((await board()).slice(0, 4)).toEqual([
      [1, "Ann", 2],
      [2, "Bob", 1],
      [3, "Cid", 1],
      [4, expect.any(String), 0],
    ]);
    const top = await s.call("GET /interactions/leaderboard/{url_id}", { as: gm, query: { limit: 1 } });
    expect(top.body.players).toHaveLength(1);
    expect(Date.parse(top.body.players[0].last_kill_at)).toBeGreaterThan(Date.now() - MINUTE);
    await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Ann" } });
    expect((await board())[0]).toEqual([1, "Ann", 2]);
  });
});
