/** Races: whoever meets at the same instant, one serial order explains what came of it. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { drift, recount } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const statuses = (results: readonly Result[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const { status } of results) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

const countsOf = async (gm: Someone) => (await s.call("GET /admin/player_count/{url_id}", { as: gm })).body;

/** The counters, the roster and the counters' own recount agree, and so does whatever else is written down twice. */
const expectNoDrift = async (gm: Someone): Promise<void> => {
  const { total, humans, zombies, corpses, spectators } = await countsOf(gm);
  expect({ total, humans, zombies, corpses, spectators }).toEqual(await recount(s.store, Date.now()));
  expect(await drift(s)).toEqual([]);
};

const interactions = async (as: Someone, kind: string): Promise<Result["body"][]> =>
  (await s.call("GET /interactions/{url_id}", { as, query: { kind } })).body.interactions;

describe("fifty zombies who hunt one human at the same instant", () => {
  it("tag once: one 200, forty-nine 409, one kill, one infection, counters equal to a recount", async () => {
    const gm = await s.admin();
    const prey = await s.join("Prey");
    const pack: Someone[] = [];
    for (let n = 0; n < 50; n += 1) pack.push(await s.join(`Zombie ${n}`));
    await Promise.all(pack.map((one) => s.outbreak(gm, one)));

    const results = await Promise.all(pack.map((hunter) => s.hunt(hunter, prey)));

    expect(statuses(results)).toEqual({ 200: 1, 409: 49 });
    const refused = results.filter(({ status }) => status === 409);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(["already_tagged"]));
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

describe("a hunt that meets another command upon its prey", () => {
  const others: [string, (gm: Someone, prey: Someone) => Promise<Result>][] = [
    [
      "corpsify",
      (gm, { id }) => s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: id } }),
    ],
    ["cure", (gm, { id }) => s.call("POST /admin/cure/{url_id}", { as: gm, body: { player_id: id } })],
    ["delete", (_gm, prey) => s.call("DELETE /delete_player/{url_id}", { as: prey })],
  ];
  it.each(others)("agrees with some serial order: %s", async (name, other) => {
    const gm = await s.admin();
    const seen = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const prey = await s.join(`Prey ${round}`);
      const hunter = await s.join(`Hunter ${round}`);
      await s.outbreak(gm, hunter);
      const [tag, done] = await Promise.all([s.hunt(hunter, prey), other(gm, prey)]);
      seen.add(`${tag.status} ${done.status}`);
      expect((await s.see(hunter)).kills).toBe(tag.status === 200 ? 1 : 0);
      if (name === "corpsify") {
        // Killed before it was tagged, or tagged and then killed as a zombie.
        expect([`200 200`, `409 200`]).toContain(`${tag.status} ${done.status}`);
        expect((await s.see(prey)).state).toBe("corpse");
      } else if (name === "cure") {
        // A human cannot be cured: either tagged and then cured, or refused and then tagged.
        expect([`200 200`, `200 409`]).toContain(`${tag.status} ${done.status}`);
        expect((await s.see(prey)).state).toBe(done.status === 200 ? "human" : "zombie");
      } else {
        expect(done.status).toBe(204);
        expect([200, 409]).toContain(tag.status);
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    await expectNoDrift(gm);
  });

  it("agrees with some serial order: a sweep of the hunter", async () => {
    const gm = await s.admin();
    for (let round = 0; round < 8; round += 1) {
      const prey = await s.join(`Prey ${round}`);
      const hunter = await s.join(`Hunter ${round}`);
      await s.outbreak(gm, hunter);
      await s.pass(48 * HOUR);
      const [tag, swept] = await Promise.all([s.hunt(hunter, prey), s.sweep()]);
      expect(tag.status).toBe(409);
      expect(tag.body).toMatchObject({ code: "wrong_state" });
      expect(swept.starved).toBe(1);
      expect((await s.see(prey)).state).toBe("human");
    }
    expect(await interactions(gm, "starve")).toHaveLength(8);
    await expectNoDrift(gm);
  });
});

describe("two hunts by one hunter at the same instant", () => {
  it("both count, and the hunter has two kills", async () => {
    const gm = await s.admin();
    const hunter = await s.join("Hunter");
    await s.outbreak(gm, hunter);
    const prey = [await s.join("Prey A"), await s.join("Prey B"), await s.join("Prey C")];
    const results = await Promise.all(prey.map((one) => s.hunt(hunter, one)));
    expect(statuses(results)).toEqual({ 200: 3 });
    expect((await s.see(hunter)).kills).toBe(3);
    expect(
      (await s.call("GET /interactions/leaderboard/{url_id}", { as: gm })).body.players[0],
    ).toMatchObject({
      alias: "Hunter",
      kills: 3,
      rank: 1,
    });
  });
});

describe("administrators who leave at the same instant", () => {
  it("leave one of two", async () => {
    const one = await s.admin("First Master");
    const other = await s.admin("Second Master");
    const results = await Promise.all(
      [one, other].map((as) => s.call("DELETE /delete_player/{url_id}", { as })),
    );
    expect(statuses(results)).toEqual({ 204: 1, 409: 1 });
    expect(results.find(({ status }) => status === 409)?.body.code).toBe("last_administrator");
    expect((await s.store.administrators()).ids).toHaveLength(1);
  });
});

describe("a feeding and a sweep at the same instant", () => {
  it("never kill a zombie that was fed in time, and record no death twice", async () => {
    const gm = await s.admin();
    const zombies: Someone[] = [];
    for (let n = 0; n < 12; n += 1) zombies.push(await s.join(`Zombie ${n}`));
    await Promise.all(zombies.map((one) => s.outbreak(gm, one)));
    await s.pass(47 * HOUR);
    const [fed] = await Promise.all([
      s.call("POST /admin/feed/{url_id}", { as: gm, body: { n: 6 } }),
      s.sweep(),
      s.pass(HOUR).then(() => Promise.all([s.sweep(), s.sweep()])),
    ]);
    expect(fed.status).toBe(200);
    await s.sweep();
    const named = new Set(fed.body.fed.map(({ alias }: { alias: string }) => alias));
    for (const zombie of zombies) {
      const { state } = await s.see(zombie);
      expect(state).toBe(named.has(zombie.alias) ? "zombie" : "corpse");
    }
    const deaths = await interactions(gm, "starve");
    expect(deaths).toHaveLength(12 - named.size);
    await expectNoDrift(gm);
  });
});

describe("two hunts that share with each other's hunter", () => {
  it("both count and neither feeding is lost", async () => {
    const gm = await s.admin();
    const [ann, bob] = [await s.join("Ann"), await s.join("Bob")];
    await Promise.all([ann, bob].map((one) => s.outbreak(gm, one)));
    await s.pass(40 * HOUR);
    const prey = [await s.join("Prey A"), await s.join("Prey B")] as const;
    const results = await Promise.all([
      s.hunt(ann, prey[0], { share_with: ["bob"] }),
      s.hunt(bob, prey[1], { share_with: ["ANN"] }),
    ]);
    expect(statuses(results)).toEqual({ 200: 2 });
    for (const one of [ann, bob]) {
      const { kills, starves_at } = await s.see(one);
      expect(kills).toBe(1);
      expect(Date.parse(starves_at) - Date.now()).toBeGreaterThan(47.9 * HOUR);
    }
  });
});
