/** Taking a tag back: what it undoes, what stays, and who hears of it. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { recount } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const takeBack = (gm: Someone, interaction_id: string, more: Record<string, unknown> = {}): Promise<Result> =>
  s.call("POST /admin/void_hunt/{url_id}", {
    as: gm,
    body: { interaction_id, reason: "He was not near her.", ...more },
  });

const cast = async (...names: string[]): Promise<Someone[]> => {
  const players: Someone[] = [];
  for (const name of names) players.push(await s.join(name));
  return players;
};

/** A game master, an original zombie, and humans. */
const outbreak = async (...names: string[]) => {
  const gm = await s.admin();
  const [zed, ...humans] = await cast("Zed", ...names);
  if (zed === undefined) throw new Error("nobody came");
  await s.outbreak(gm, zed);
  return { gm, zed, humans };
};

const tag = async (
  hunter: Someone,
  prey: Someone | string,
  more: Record<string, unknown> = {},
): Promise<string> => {
  const { status, text, body } = await s.hunt(hunter, prey, more);
  if (status !== 200) throw new Error(text);
  return body.interaction.interaction_id;
};

const treeOf = async (as: Someone, query: Record<string, string> = {}) =>
  (await s.call("GET /interactions/tree/{url_id}", { as, query })).body;

const recordOf = async (as: Someone, kind: string): Promise<Result["body"][]> =>
  (await s.call("GET /interactions/{url_id}", { as, query: { kind } })).body.interactions;

const expectNoDrift = async (gm: Someone): Promise<void> => {
  const { body } = await s.call("GET /admin/player_count/{url_id}", { as: gm });
  expect(body).toEqual(await recount(s.store, Date.now()));
};

const minutesBetween = (one: string, other: string): number =>
  Math.abs(Date.parse(one) - Date.parse(other)) / 60_000;

describe("a tag that is taken back", () => {
  it("makes the prey human, takes the kill and the meals, and leaves those whom the prey infected", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob", "Cid");
    const [ann, bob, cid] = humans as [Someone, Someone, Someone];
    await tag(zed, bob);
    await s.pass(20 * HOUR);
    const before = { zed: await s.see(zed), bob: await s.see(bob) };
    const id = await tag(zed, ann, { share_with: ["Bob"], note: "by the gate" });
    await tag(ann, cid);

    const trial = await takeBack(gm, id, { dry_run: true });
    expect(trial).toMatchObject({ status: 200, body: { dry_run: true, interaction: null } });
    expect((await s.see(ann)).state).toBe("zombie");
    expect((await s.see(zed)).kills).toBe(2);
    expect(await recordOf(gm, "void")).toEqual([]);

    const { status, body } = await takeBack(gm, id);
    expect(status).toBe(200);
    expect(body.effects).toEqual(trial.body.effects);
    expect(body.effects).toEqual([
      { alias: "Ann", effect: "human_again", state: "human" },
      { alias: "Zed", effect: "kill_taken_back", state: "zombie", kills: 1 },
      { alias: "Zed", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
      { alias: "Bob", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
      { alias: "Cid", effect: "stays_zombie", state: "zombie" },
    ]);
    expect(body.interaction).toMatchObject({
      kind: "void",
      actor: "Game Master",
      target: "Ann",
      details: { voided_interaction_id: id, reason: "He was not near her." },
    });

    const seen = await s.see(ann);
    expect(seen).toMatchObject({ state: "human", kills: 1, infected_by: null, starves_at: null });
    expect(seen.tag_code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
    expect(seen.tag_code).not.toBe(ann.code);
    for (const [who, was] of [
      [zed, before.zed],
      [bob, before.bob],
    ] as const) {
      const now = await s.see(who);
      expect(now).toMatchObject({ state: "zombie", kills: was.kills, last_fed_at: was.last_fed_at });
      expect(minutesBetween(now.starves_at, was.starves_at)).toBeLessThan(1);
    }
    expect(await s.see(cid)).toMatchObject({ state: "zombie", infected_by: "Ann" });

    // The old code is dead, the new one is good: she can be tagged again.
    expect((await s.hunt(zed, ann)).body.code).toBe("already_tagged");
    await tag(zed, seen.tag_code);
    expect((await s.see(zed)).kills).toBe(2);
    await expectNoDrift(gm);
  });

  it("stays in the tree, marked, with its own below it and no kill above it", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob", "Cid");
    const [ann, bob, cid] = humans as [Someone, Someone, Someone];
    const id = await tag(zed, ann);
    await tag(zed, bob);
    const below = await tag(ann, cid);
    await takeBack(gm, id);
    const whole = await treeOf(zed);
    expect(whole).toMatchObject({
      size: 4,
      roots: [
        {
          alias: "Zed",
          kills: 1,
          voided: false,
          children: [
            {
              infection_id: id,
              alias: "Ann",
              state: "human",
              kills: 1,
              voided: true,
              children: [{ infection_id: below, alias: "Cid", voided: false }],
            },
            { alias: "Bob", kills: 0, voided: false },
          ],
        },
      ],
    });
    const [{ infection_id: root }] = whole.roots;
    expect((await treeOf(zed, { root })).roots).toEqual(whole.roots);
    expect((await treeOf(zed, { root: id })).roots).toMatchObject([
      { infection_id: id, voided: true, kills: 1 },
    ]);
    const board = await s.call("GET /interactions/leaderboard/{url_id}", { as: zed });
    const kills = board.body.players.map((one: { alias: string; kills: number }) => [one.alias, one.kills]);
    expect(Object.fromEntries(kills)).toEqual({ Zed: 1, Ann: 1, Bob: 0, Cid: 0 });
    // The one below can be taken back as well, from a hunter who is human by now.
    expect((await takeBack(gm, below)).status).toBe(200);
    expect(await s.see(ann)).toMatchObject({ state: "human", kills: 0 });
    expect((await s.see(cid)).state).toBe("human");
  });

  it("is marked in the record, and why is told to those whom it was about", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    const id = await tag(zed, ann);
    const other = await tag(zed, bob);
    await takeBack(gm, id);
    const hunts = await recordOf(bob, "hunt");
    expect(hunts.map(({ interaction_id, details }) => [interaction_id, details.voided])).toEqual([
      [other, undefined],
      [id, true],
    ]);
    for (const as of [gm, ann, zed]) {
      expect((await recordOf(as, "void"))[0].details).toEqual({
        voided_interaction_id: id,
        reason: "He was not near her.",
      });
    }
    expect((await recordOf(bob, "void"))[0].details).toEqual({ voided_interaction_id: id });
    const { logs } = (
      await s.call("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "void_hunt" } })
    ).body;
    expect(logs).toMatchObject([
      {
        actor: "Game Master",
        target: "Ann",
        outcome: "done",
        details: { interaction_id: id, dry_run: false, reason: "He was not near her." },
      },
    ]);
  });

  it("starves whom nothing else has fed since, at the deadline they had", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    await s.pass(40 * HOUR);
    const due = (await s.see(zed)).starves_at;
    const id = await tag(zed, ann);
    await s.pass(10 * HOUR);
    await tag(ann, bob);
    const { body } = await takeBack(gm, id);
    const starved = body.effects.find(({ effect }: { effect: string }) => effect === "starved");
    expect(starved).toMatchObject({ alias: "Zed", state: "corpse" });
    // Ten hours of game time went by in no time.
    expect(minutesBetween(starved.at, new Date(Date.parse(due) - 10 * HOUR).toISOString())).toBeLessThan(1);
    expect((await recordOf(gm, "starve")).map(({ target, at }) => [target, at])).toEqual([
      ["Zed", starved.at],
    ]);
    expect(await s.see(zed)).toMatchObject({ state: "corpse", kills: 0 });
    await s.sweep();
    expect(await recordOf(gm, "starve")).toHaveLength(1);
    await expectNoDrift(gm);
  });

  it("leaves whoever has eaten since at what that meal gave", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    await s.pass(20 * HOUR);
    const first = await tag(zed, ann);
    await s.pass(20 * HOUR);
    await tag(zed, bob);
    const fed = await s.see(zed);
    await takeBack(gm, first);
    expect(await s.see(zed)).toMatchObject({ kills: 1, last_fed_at: fed.last_fed_at, state: "zombie" });
    expect(minutesBetween((await s.see(zed)).starves_at, fed.starves_at)).toBeLessThan(1);
  });

  it("brings back a prey that has starved since, and takes from nobody who has left", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    const one = await tag(zed, ann);
    const two = await tag(zed, bob);
    await s.call("DELETE /delete_player/{url_id}", { as: zed });
    await s.pass(50 * HOUR);
    expect((await s.see(ann)).state).toBe("corpse");
    expect((await takeBack(gm, one)).body.effects).toEqual([
      { alias: "Ann", effect: "human_again", state: "human" },
      { alias: null, effect: "unchanged", state: null },
    ]);
    expect((await s.see(ann)).state).toBe("human");
    await s.sweep();
    await s.call("DELETE /delete_player/{url_id}", { as: bob });
    expect((await takeBack(gm, two)).body.effects).toEqual([
      { alias: null, effect: "unchanged", state: null },
      { alias: null, effect: "unchanged", state: null },
    ]);
    expect(await recordOf(gm, "void")).toHaveLength(2);
    await expectNoDrift(gm);
  });

  it("is refused twice, of what is no hunt, and of what is not there", async () => {
    const { gm, zed, humans } = await outbreak("Ann");
    const [ann] = humans as [Someone];
    const id = await tag(zed, ann);
    const [{ interaction_id: risen }] = await recordOf(gm, "revive_zombie");
    expect(await takeBack(gm, risen)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    const unknown = commandContext(s.services, Date.now()).newId();
    expect(await takeBack(gm, unknown)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await takeBack(gm, id)).status).toBe(200);
    const state = await s.see(ann);
    for (const more of [{}, { dry_run: true }]) {
      expect(await takeBack(gm, id, more)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    }
    expect(await s.see(ann)).toEqual(state);
    expect(await takeBack(zed, id)).toMatchObject({ status: 401 });
    for (const reason of ["", "   ", "x".repeat(281), undefined]) {
      expect(await takeBack(gm, id, { reason })).toMatchObject({ status: 400 });
    }
    expect(await recordOf(gm, "void")).toHaveLength(1);
  });

  it("is carried out once for one Idempotency-Key", async () => {
    const { gm, zed, humans } = await outbreak("Ann");
    const [ann] = humans as [Someone];
    const asking = { as: gm, body: { interaction_id: await tag(zed, ann), reason: "No." }, key: "undo" };
    const first = await s.call("POST /admin/void_hunt/{url_id}", asking);
    expect(first.status).toBe(200);
    const second = await s.call("POST /admin/void_hunt/{url_id}", asking);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await recordOf(gm, "void")).toHaveLength(1);
  });

  it("keeps its hunter's note where it lies", async () => {
    const { gm, zed, humans } = await outbreak("Ann");
    const [ann] = humans as [Someone];
    await takeBack(gm, await tag(zed, ann, { note: "by the gate" }));
    expect((await recordOf(gm, "hunt"))[0].details).toMatchObject({ note: "by the gate", voided: true });
  });
});

describe("twenty voids of one hunt at the same instant", () => {
  it("take it back once: one 200, nineteen 409, one interaction, one kill less", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    await tag(zed, bob);
    const id = await tag(zed, ann);
    const results = await Promise.all(Array.from({ length: 20 }, () => takeBack(gm, id)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = results.filter(({ status }) => status === 409);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(["wrong_state"]));
    expect(refused).toHaveLength(19);
    expect(await recordOf(gm, "void")).toHaveLength(1);
    expect((await s.see(zed)).kills).toBe(1);
    expect((await s.see(ann)).state).toBe("human");
    await expectNoDrift(gm);
  });
});

describe("a void that meets another command", () => {
  interface Meeting {
    gm: Someone;
    hunter: Someone;
    prey: Someone;
    human: Someone;
  }
  const byId =
    (route: string, who: "hunter" | "prey") =>
    (on: Meeting): Promise<Result> =>
      s.call(route, { as: on.gm, body: { player_id: on[who].id } });
  const others: [string, (on: Meeting) => Promise<Result>, number[]][] = [
    ["cure of the prey", byId("POST /admin/cure/{url_id}", "prey"), [200, 409]],
    ["cure of the hunter", byId("POST /admin/cure/{url_id}", "hunter"), [200]],
    ["death of the prey", byId("POST /admin/corpsify/{url_id}", "prey"), [200]],
    ["feeding of the hunter", byId("POST /admin/feed_player/{url_id}", "hunter"), [200]],
    ["hunt by the prey", ({ prey, human }) => s.hunt(prey, human), [200, 409]],
    ["hunt by the hunter", ({ hunter, human }) => s.hunt(hunter, human), [200]],
    ["prey that leaves", ({ prey }) => s.call("DELETE /delete_player/{url_id}", { as: prey }), [204]],
    ["hunter that leaves", ({ hunter }) => s.call("DELETE /delete_player/{url_id}", { as: hunter }), [204]],
    ["sweep", async () => ({ ...(await s.call("GET /health")), ...(await s.sweep()) }), [200]],
    ["added day", ({ gm }) => s.call("POST /admin/zombies_add_day/{url_id}", { as: gm }), [200]],
  ];
  let met = 0;
  const ROUNDS = 4;

  it.each(others)("agrees with some serial order: %s", async (name, other, allowed) => {
    const gm = await s.admin();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [hunter, prey, human] = (await cast(`Hunter ${round}`, `Prey ${round}`, `Human ${round}`)) as [
        Someone,
        Someone,
        Someone,
      ];
      await s.outbreak(gm, hunter);
      if (name === "sweep") await s.pass(47 * HOUR);
      const id = await tag(hunter, prey);
      if (name === "sweep") await s.pass(2 * HOUR);
      const on = { gm, hunter, prey, human };
      const [undone, done] = await Promise.all([takeBack(gm, id), other(on)]);
      met += 1;
      expect(undone.status, undone.text).toBe(200);
      expect(allowed, done.text).toContain(done.status);
      if (name !== "hunter that leaves") {
        const seen = await s.see(hunter);
        expect(seen.kills).toBe(name === "hunt by the hunter" ? 1 : 0);
        const state = { "cure of the hunter": "human", sweep: "corpse" }[name] ?? "zombie";
        expect(seen.state).toBe(state);
        if (name === "feeding of the hunter") {
          expect(Date.parse(seen.starves_at) - Date.now()).toBeGreaterThan(47.9 * HOUR);
        }
      }
      if (name === "death of the prey") expect(["human", "corpse"]).toContain((await s.see(prey)).state);
      else if (name !== "prey that leaves") expect((await s.see(prey)).state).toBe("human");
      if (name === "hunt by the prey") {
        expect((await s.see(prey)).kills).toBe(done.status === 200 ? 1 : 0);
        expect((await s.see(human)).state).toBe(done.status === 200 ? "zombie" : "human");
      }
      const below = (await treeOf(gm, { root: id })).roots[0];
      expect(below).toMatchObject({ voided: true, kills: below.children.length });
    }
    expect(await recordOf(gm, "void")).toHaveLength(ROUNDS);
    await expectNoDrift(gm);
  });

  it("was met by each of them", () => {
    expect(met).toBe(others.length * ROUNDS);
  });
});
