/** Feeding, starving, added days and pauses: the clock as players see it. */
import { describe, expect, it } from "vitest";
import { newSpectator, type Player } from "../../lib/domain/player.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../lib/domain/transitions.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { QUICK, type Someone, TRANSPORT, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const near = (time: string, expected: number): void => {
  expect(Math.abs(Date.parse(time) - expected)).toBeLessThan(5_000);
};

const addDay = (gm: Someone, key?: string) =>
  s.call("POST /admin/zombies_add_day/{url_id}", { as: gm, ...(key === undefined ? {} : { key }) });

/** So many zombies at once; they cannot log in. */
const zombies = async (count: number): Promise<void> => {
  const moment = commandContext(s.services, Date.now());
  const game = await s.store.game();
  const players = Array.from({ length: count }, (_, n): Player => {
    const id = crypto.randomUUID();
    const alias = `Crowd ${String.fromCharCode(97 + (n % 26))}${n}x`;
    const human = asHuman(newSpectator(id, 0, { alias }, rfc3339(moment.now)), moment);
    return asZombie(human, game, moment, { id: moment.newId(), at: rfc3339(moment.now), by: null });
  });
  await s.crowd(players, 200);
};

describe("a zombie", () => {
  it("has a feeding period from its infection, and another from each meal", async () => {
    const gm = await s.admin();
    const [zoe, prey] = [await s.join("Zoe"), await s.join("Prey")];
    await s.outbreak(gm, zoe);
    near((await s.see(zoe)).starves_at, Date.now() + 48 * HOUR);
    await s.pass(30 * HOUR);
    const next = await s.call("GET /zombie/next_feeding/{url_id}", { as: zoe });
    near(next.body.next_feeding, Date.now() + 18 * HOUR);
    expect(Math.abs(next.body.seconds_left - 18 * 3600)).toBeLessThan(10);
    expect(next.body.last_fed_at).toBeNull();
    const tag = await s.hunt(zoe, prey);
    near(tag.body.hunter.starves_at, Date.now() + 48 * HOUR);
    near((await s.see(prey)).starves_at, Date.now() + 48 * HOUR);
    expect((await s.see(zoe)).last_fed_at).not.toBeNull();
  });

  it("past its deadline is a corpse in every answer before any sweep has run", async () => {
    const gm = await s.admin();
    const [zoe, hal] = [await s.join("Zoe"), await s.join("Hal")];
    await s.outbreak(gm, zoe);
    const deadline = Date.parse((await s.see(zoe)).starves_at);
    await s.pass(49 * HOUR);

    expect(await s.see(zoe)).toMatchObject({ state: "corpse", starves_at: null });
    const ask = async (route: string, more = {}) => (await s.call(route, { as: hal, ...more })).body;
    expect(await ask("POST /get_player/{url_id}", { body: { alias: "zoe" } })).toMatchObject({
      state: "corpse",
    });
    expect((await ask("GET /users/{url_id}", { query: { state: "zombie" } })).users).toEqual([]);
    expect((await ask("GET /users/{url_id}", { query: { state: "corpse" } })).users).toHaveLength(1);
    expect(await ask("GET /zombie/starvation/{url_id}")).toMatchObject({
      zombies: [],
      counts: { fed: 0, hungry: 0, starving: 0 },
    });
    expect((await ask("GET /game/{url_id}")).counts).toMatchObject({ zombies: 0, corpses: 1 });
    expect((await ask("GET /interactions/tree/{url_id}")).roots[0].state).toBe("corpse");
    expect((await ask("GET /interactions/leaderboard/{url_id}")).players[0].state).toBe("corpse");
    const players = await s.call("GET /admin/get_players/{url_id}", { as: gm, query: { state: "corpse" } });
    expect(players.body.players.map(({ alias }: { alias: string }) => alias)).toEqual(["Zoe"]);
    expect((await s.hunt(zoe, hal)).body).toMatchObject({ status: 409, code: "wrong_state" });
    expect((await s.call("GET /zombie/next_feeding/{url_id}", { as: zoe })).status).toBe(409);
    expect((await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Zoe" } })).status).toBe(409);

    expect(
      await Promise.all([s.sweep(), s.sweep()]).then((both) =>
        both.reduce((n, { starved }) => n + starved, 0),
      ),
    ).toBe(1);
    const [death, ...others] = (await ask("GET /interactions/{url_id}", { query: { kind: "starve" } }))
      .interactions;
    expect(others).toEqual([]);
    expect(death).toMatchObject({ actor: null, target: "Zoe" });
    // Game time was moved on by 49 hours, so the deadline lies as far back on the wall clock.
    near(death.at, deadline - 49 * HOUR);
  });

  it("that a command meets past its deadline has its starvation recorded with it", async () => {
    const gm = await s.admin();
    const zoe = await s.join("Zoe");
    await s.outbreak(gm, zoe);
    await s.pass(49 * HOUR);
    const revived = await s.call("POST /admin/revive_z/{url_id}", { as: gm, body: { alias: "Zoe" } });
    expect(revived.status).toBe(200);
    expect(revived.body.player.state).toBe("zombie");
    const told = (await s.call("GET /interactions/{url_id}", { as: gm })).body.interactions;
    expect(told.map(({ kind }: { kind: string }) => kind)).toEqual([
      "revive_zombie",
      "starve",
      "revive_zombie",
      "corpsify",
    ]);
    expect((await s.sweep()).starved).toBe(0);
  });
});

describe("an added day", () => {
  it.each([10, ...(TRANSPORT === "http" || QUICK ? [] : [10_000])])(
    "is one write of the game with %i zombies, and each may feed a day later",
    async (count) => {
      const gm = await s.admin();
      const infected = Date.now();
      await zombies(count);
      const before = await s.store.game();
      const added = await addDay(gm);
      expect(added.body).toEqual({ zombies: count, added_seconds: 86_400 });
      const after = await s.store.game();
      expect(after.rev).toBe(before.rev + 1);
      const all = await s.call("GET /admin/get_players/{url_id}", {
        as: gm,
        query: { state: "zombie", limit: 20 },
      });
      for (const { starves_at } of all.body.players) near(starves_at, infected + 72 * HOUR);
      const revs = [...(await s.store.players(all.body.players.map((p: Player) => p.player_id))).values()];
      // No zombie's own item was touched.
      expect(new Set(revs.map(({ rev }) => rev))).toEqual(new Set([0]));
    },
    120_000,
  );

  it("comes once however often the request is sent with its key", async () => {
    const gm = await s.admin();
    const zoe = await s.join("Zoe");
    await s.outbreak(gm, zoe);
    const answers = await Promise.all(Array.from({ length: 5 }, () => addDay(gm, "one-day")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await addDay(gm, "one-day")).body).toEqual({ zombies: 1, added_seconds: 86_400 });
    near((await s.see(zoe)).starves_at, Date.now() + 72 * HOUR);
    expect((await s.store.game()).offset).toBe(DAY);
    await addDay(gm, "another");
    near((await s.see(zoe)).starves_at, Date.now() + 96 * HOUR);
  });

  it("wakes nobody who was due", async () => {
    const gm = await s.admin();
    const [dead, alive] = [await s.join("Dead"), await s.join("Alive")];
    await s.outbreak(gm, dead);
    await s.pass(10 * HOUR);
    await s.outbreak(gm, alive);
    await s.pass(40 * HOUR);
    expect((await addDay(gm)).body.zombies).toBe(1);
    expect((await s.see(dead)).state).toBe("corpse");
    expect((await s.see(alive)).state).toBe("zombie");
    const hungry = await s.call("GET /zombie/starvation/{url_id}", { as: alive });
    expect(hungry.body.zombies.map(({ alias }: { alias: string }) => alias)).toEqual(["Alive"]);
    expect(hungry.body.counts).toEqual({ fed: 1, hungry: 0, starving: 0 });
    expect((await s.sweep()).starved).toBe(1);
    expect((await s.call("GET /game/{url_id}", { as: gm })).body.counts).toMatchObject({
      zombies: 1,
      corpses: 1,
    });
  });
});

describe("a paused game", () => {
  it("starves nobody, takes no hunt, and moves every deadline by its length", async () => {
    const gm = await s.admin();
    const [zoe, hal] = [await s.join("Zoe"), await s.join("Hal")];
    await s.outbreak(gm, zoe);
    await s.pass(47 * HOUR);
    const paused = await s.call("POST /admin/pause_game/{url_id}", { as: gm });
    expect(paused.body).toMatchObject({ paused: true });
    expect((await s.call("POST /admin/pause_game/{url_id}", { as: gm })).body).toEqual(paused.body);
    expect((await s.hunt(zoe, hal)).body).toMatchObject({ code: "paused", status: 409 });
    // As if the pause had begun five hours earlier.
    const game = await s.store.game();
    const earlier = { ...game, offset: game.offset - 5 * HOUR, paused_at: (game.paused_at ?? 0) - 5 * HOUR };
    await s.store.commit(await writesOf({ game: { before: game, after: earlier } }, 1), () => 5_000);
    expect((await s.see(zoe)).state).toBe("zombie");
    near((await s.see(zoe)).starves_at, Date.now() + HOUR);
    expect((await s.call("GET /game/{url_id}", { as: zoe })).body).toMatchObject({ paused: true });
    expect((await s.sweep()).starved).toBe(0);
    // Game masters' own operations go on.
    expect((await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Hal" } })).status).toBe(
      200,
    );
    const resumed = await s.call("POST /admin/resume_game/{url_id}", { as: gm });
    expect(resumed.body).toEqual({ paused: false, since: null });
    expect((await s.call("POST /admin/resume_game/{url_id}", { as: gm })).body).toEqual(resumed.body);
    near((await s.see(zoe)).starves_at, Date.now() + HOUR);
    const told = (await s.call("GET /interactions/{url_id}", { as: gm })).body.interactions;
    expect(told.filter(({ kind }: { kind: string }) => kind === "pause")).toHaveLength(1);
    expect(told.filter(({ kind }: { kind: string }) => kind === "resume")).toHaveLength(1);
  });
});

describe("feeding the hungriest", () => {
  it("feeds just those nearest to starving, and lists them", async () => {
    const gm = await s.admin();
    const names = ["Ann", "Bob", "Cid", "Dot"];
    for (const name of names) {
      await s.outbreak(gm, await s.join(name));
      await s.pass(HOUR);
    }
    const fed = await s.call("POST /admin/feed/{url_id}", { as: gm, body: { n: 2 } });
    expect(fed.body.count).toBe(2);
    expect(fed.body.fed.map(({ alias }: { alias: string }) => alias)).toEqual(["Ann", "Bob"]);
    near(fed.body.fed[0].starves_at, Date.now() + 48 * HOUR);
    const hungry = await s.call("GET /zombie/starvation/{url_id}", { as: gm });
    const order = hungry.body.zombies.map(({ alias }: { alias: string }) => alias);
    expect(order.slice(0, 2)).toEqual(["Cid", "Dot"]);
    expect(new Set(order.slice(2))).toEqual(new Set(["Ann", "Bob"]));
    const feeds = await s.call("GET /interactions/{url_id}", { as: gm, query: { kind: "feed" } });
    expect(feeds.body.interactions).toHaveLength(2);
  });

  it("feeds hundreds once, also when the request comes twice", async () => {
    const gm = await s.admin();
    await zombies(160);
    await s.pass(HOUR);
    const ask = () => s.call("POST /admin/feed/{url_id}", { as: gm, body: { n: 120 }, key: "lunch" });
    const [one, other] = await Promise.all([ask(), ask()]);
    const done = one.status === 200 ? one : other;
    expect(done.body.count).toBe(120);
    expect(new Set(done.body.fed.map(({ alias }: { alias: string }) => alias)).size).toBe(120);
    const again = await ask();
    expect(again.body).toEqual(done.body);
    const other409 = [one, other].filter(({ status }) => status !== 200);
    for (const { body } of other409) expect(body.code).toBe("in_progress");
    const feeds = await s.call("GET /interactions/{url_id}", { as: gm, query: { kind: "feed", limit: 200 } });
    expect(feeds.body.interactions).toHaveLength(120);
  });
});

describe("the starvation list", () => {
  it("shows the hungriest first, page by page, and counts the fed, hungry and starving", async () => {
    const gm = await s.admin();
    const ages = [45, 40, 20, 10, 1];
    const members: string[] = [];
    let passed = 0;
    for (const [n, age] of ages.entries()) {
      await s.pass((n === 0 ? 0 : (ages[n - 1] ?? 0) - age) * HOUR);
      passed += n === 0 ? 0 : (ages[n - 1] ?? 0) - age;
      const zombie = await s.join(`Zombie ${n}`);
      members.push(zombie.id);
      await s.outbreak(gm, zombie);
    }
    await s.pass(45 * HOUR - passed * HOUR);
    const first = await s.call("GET /zombie/starvation/{url_id}", { as: gm, query: { limit: 3 } });
    expect(first.body.counts).toEqual({ fed: 3, hungry: 1, starving: 1 });
    expect(first.body.zombies.map(({ alias }: { alias: string }) => alias)).toEqual([
      "Zombie 0",
      "Zombie 1",
      "Zombie 2",
    ]);
    expect(Math.abs(first.body.zombies[0].seconds_left - 3 * 3600)).toBeLessThan(20);
    const cursor = first.body.next_cursor;
    const second = await s.call("GET /zombie/starvation/{url_id}", { as: gm, query: { limit: 3, cursor } });
    expect(second.body.zombies).toHaveLength(2);
    expect(second.body.next_cursor).toBeNull();
    // Sort keys hold ids, which are nobody's business: the cursor does not show them.
    for (const id of members) expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain(id);
  });
});

describe("a hunt in the past", () => {
  it("counts from when it happened, but never from before the clock last changed", async () => {
    const gm = await s.admin();
    const zoe = await s.join("Zoe");
    const prey = await s.join("Prey");
    await s.outbreak(gm, zoe);
    const now = Date.now();
    expect((await s.hunt(zoe, prey, { hunted_at: rfc3339(now + MINUTE) })).status).toBe(400);
    expect((await s.hunt(zoe, prey, { hunted_at: rfc3339(now - 6 * HOUR - MINUTE) })).status).toBe(400);
    expect((await s.hunt(zoe, prey, { hunted_at: rfc3339(now - HOUR) })).body).toMatchObject({
      code: "too_early",
    });
    expect((await s.see(prey)).state).toBe("human");
  });
});
