/** A race through the API; every pair of operations is in `tests/battery/races`. */
import { describe, expect, it } from "vitest";
import { drift, recount } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const statuses = (results: readonly Result[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const { status } of results) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

const countsOf = async (gm: Someone) => (await s.call("GET /admin/player_count/{url_id}", { as: gm })).body;

/** The counters agree with the roster, and everything that is stored twice agrees with itself. */
const expectNoDrift = async (gm: Someone): Promise<void> => {
  const { total, humans, zombies, corpses, spectators } = await countsOf(gm);
  expect({ total, humans, zombies, corpses, spectators }).toEqual(await recount(s.store, Date.now()));
  expect(await drift(s)).toEqual([]);
};

const interactions = async (as: Someone, kind: string): Promise<Result["body"][]> =>
  (await s.call("GET /interactions/{url_id}", { as, query: { kind } })).body.interactions;

describe("fifty zombies who hunt one human concurrently", () => {
  it("tag once: one 200, forty-nine 409, one kill, one infection, counters equal to a recount", async () => {
    const [gm, prey] = [await s.admin(), await s.join("Prey")];
    const pack: Someone[] = [];
    for (let n = 0; n < 50; n += 1) pack.push(await s.join(`Zombie ${n}`));
    await Promise.all(pack.map((one) => s.outbreak(gm, one)));

    const results = await Promise.all(pack.map((hunter) => s.hunt(hunter, prey)));

    expect(statuses(results)).toEqual({ 200: 1, 409: 49 });
    const rejected = results.filter(({ status }) => status === 409);
    expect(new Set(rejected.map(({ body }) => body.code))).toEqual(new Set(["already_tagged"]));
    const hunts = await interactions(gm, "hunt");
    expect(hunts).toHaveLength(1);
    const views = await Promise.all(pack.map(s.see));
    expect(views.reduce((sum, { kills }) => sum + kills, 0)).toBe(1);
    const winner = views.find(({ kills }) => kills === 1);
    expect(hunts[0].actor).toBe(winner.alias);
    expect((await s.see(prey)).infected_by).toBe(winner.alias);
    const tree = (await s.call("GET /interactions/tree/{url_id}", { as: gm })).body;
    expect(tree.size).toBe(51);
    expect(await countsOf(gm)).toEqual({ total: 52, humans: 0, zombies: 51, corpses: 0, spectators: 1 });
    await expectNoDrift(gm);
  });
});
