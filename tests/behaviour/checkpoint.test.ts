/** Checkpoints: they are corrected, and enforcing one kills everybody who has not passed, whatever happens meanwhile. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { randomFrom, SEED, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

let passed = 0;
beforeEach(() => {
  passed = 0;
});
const s = testEnvironment({ services: (usual) => ({ clock: () => usual.clock() + passed }) });

const set = (gm: Someone, body: unknown) => s.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body });
const register = (gm: Someone, body: unknown) =>
  s.call("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body });
const killAll = (gm: Someone, body: unknown = {}) =>
  s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm, body });
const lastDetails = async (gm: Someone, action: string) =>
  (await s.call("GET /admin/get_logs/{url_id}", { as: gm, query: { action, limit: "1" } })).body.logs[0]
    .details;
const inAnHour = () => rfc3339(Date.now() + passed + HOUR);

describe("a correction", () => {
  it("changes the checkpoint and keeps every pass; its end can be moved, not into the past", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const { body: checkpoint } = await set(gm, {
      name: "Libary",
      closes_at: inAnHour(),
      applies_to: "humans",
    });
    const { checkpoint_id } = checkpoint;
    expect((await register(gm, { alias: "Ada" })).status).toBe(200);
    passed = 2 * HOUR;
    await s.join("Ben");
    expect((await register(gm, { alias: "Ben" })).body.code).toBe("closed");
    const later = inAnHour();
    const corrected = await set(gm, { checkpoint_id, name: "Library", closes_at: later });
    expect(corrected.body).toEqual({ ...checkpoint, name: "Library", closes_at: later });
    expect(await lastDetails(gm, "set_checkpoint")).toEqual({ checkpoint_id, corrected: true });
    const moved = await set(gm, { checkpoint_id, latitude: 1, longitude: 2, description: "By the lake" });
    expect(moved.body).toEqual({ ...corrected.body, latitude: 1, longitude: 2, description: "By the lake" });
    expect((await register(gm, { alias: "Ben" })).status).toBe(200);
    expect((await s.call("GET /checkpoint/{url_id}", { as: ada })).body.passed).toBe(true);
    const past = rfc3339(Date.now());
    for (const body of [
      { checkpoint_id, closes_at: past },
      { name: "Mill", closes_at: past },
      { checkpoint_id, applies_to: "all" },
      { checkpoint_id, clear: true },
    ]) {
      expect((await set(gm, body)).status, JSON.stringify(body)).toBe(400);
    }
    const another = { checkpoint_id: crypto.randomUUID(), name: "Mill" };
    expect((await set(gm, another)).body.code).toBe("checkpoint_changed");
    await set(gm, { clear: true });
    expect((await set(gm, { checkpoint_id, name: "Mill" })).body.code).toBe("no_checkpoint");
  });

  it("of a pass from a list on paper is entered late, with a reason", async () => {
    const gm = await s.admin();
    await s.join("Ada");
    await set(gm, { name: "Library", closes_at: inAnHour() });
    passed = 2 * HOUR;
    expect((await register(gm, { alias: "Ada", late: true })).body.errors).toMatchObject([
      { path: "reason" },
    ]);
    const reason = "She was on the list.";
    expect((await register(gm, { alias: "Ada", reason })).body.code).toBe("closed");
    expect((await register(gm, { alias: "Ada", late: true, reason })).status).toBe(200);
    expect(await lastDetails(gm, "player_at_checkpoint")).toEqual({ late: true, reason });
  });
});

describe("a checkpoint that was enforced", () => {
  it("is over: it does not kill again who was revived, cured or has joined since", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid", "Dan"]) await s.join(alias);
    await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Dan" } });
    await set(gm, { name: "Library" });
    await register(gm, { alias: "Cid" });
    expect((await killAll(gm)).body).toMatchObject({ killed: 2, spared: 1 });
    passed = MINUTE;
    const revive = (how: "h" | "z", alias: string) =>
      s.must(`POST /admin/revive_${how}/{url_id}`, { as: gm, body: { alias } });
    await revive("h", "Ada");
    await revive("z", "Ben");
    await revive("h", "Dan");
    await s.join("Eve");
    expect((await killAll(gm, { dry_run: true })).body).toMatchObject({ killed: 0, spared: 1, players: [] });
    expect((await killAll(gm)).body).toMatchObject({ killed: 0, spared: 1, complete: true });
    const { body } = await s.call("GET /game/{url_id}", { as: gm });
    expect(body.counts).toMatchObject({ humans: 4, zombies: 1, corpses: 0 });
    // A new checkpoint concerns all of them.
    await set(gm, { name: "Mill" });
    expect((await killAll(gm, { dry_run: true })).body.killed).toBe(5);
  });

  it("makes zombies of humans where that is the outcome, in the tree and with a full feeding period", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { checkpoint_outcome: "zombie" } });
    await s.outbreak(gm, ben);
    const { checkpoint_id } = (await set(gm, { name: "Library" })).body;
    for (const killed of [2, 0]) expect((await killAll(gm)).body).toMatchObject({ killed, spared: 0 });
    const { body } = await s.call("GET /player/{url_id}", { as: ada });
    expect(body).toMatchObject({ state: "zombie", infected_by: null, tag_code: null, passed_at: null });
    expect(Date.parse(body.starves_at) - Date.parse(body.infected_at)).toBe(48 * HOUR);
    expect((await s.call("GET /player/{url_id}", { as: ben })).body.state).toBe("corpse");
    const { interactions } = (await s.call("GET /interactions/{url_id}", { as: ada })).body;
    const infection = interactions.find(({ target }: { target: string }) => target === "Ada");
    expect(infection).toMatchObject({ kind: "revive_zombie", details: { checkpoint_id } });
    const { roots } = (await s.call("GET /interactions/tree/{url_id}", { as: ada })).body;
    expect(roots.map(({ alias }: { alias: string }) => alias)).toEqual(["Ben", "Ada"]);
  });
});

describe("a dry run", () => {
  it("names whom it would kill, page by page", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid", "Dan"]) await s.join(alias);
    await set(gm, { name: "Library", applies_to: "humans" });
    await register(gm, { alias: "Ben" });
    const page = async (cursor?: string) => {
      const { body } = await killAll(gm, { dry_run: true, limit: 2, cursor });
      expect(body).toMatchObject({ killed: 3, spared: 1, complete: true, job_id: null });
      return body;
    };
    const first = await page();
    expect(first.players).toEqual([
      { alias: "Ada", state: "human", becomes: "corpse" },
      { alias: "Cid", state: "human", becomes: "corpse" },
    ]);
    const second = await page(first.next_cursor);
    expect(second).toMatchObject({ players: [{ alias: "Dan", state: "human" }], next_cursor: null });
    expect((await killAll(gm, { limit: 2 })).status).toBe(400);
    expect((await killAll(gm, { dry_run: true, cursor: "x" })).status).toBe(400);
  });
});

describe("enforcing a checkpoint", () => {
  const SIZE = share(5_000, 300);
  it(`is exact for ${SIZE} players while others pass, are renamed, are infected and join`, async () => {
    const gm = await s.admin();
    const since = Date.now() - MINUTE;
    const zombies = await makeCrowd(s, SIZE, "zombie", since);
    const humans = await makeCrowd(s, SIZE, "human", since);
    const players = humans.map((human, n) => (n % 3 === 0 ? (zombies[n] ?? human) : human));
    const { checkpoint_id } = (await set(gm, { name: "Library" })).body;
    const passed_at = rfc3339(Date.now());
    const withPass = players.map((one, n) => (n % 2 === 0 ? { ...one, checkpoint_id, passed_at } : one));
    await s.crowd(withPass);

    let over = false;
    /** Repeats an action until the enforcement has ended. */
    const meanwhile = async (action: (n: number) => Promise<void>): Promise<number> => {
      let times = 0;
      for (; !over; times += 1) {
        await action(times);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return times;
    };
    const registered = new Map<string, Result>();
    console.info(`checkpoint: seed ${SEED}`);
    const random = randomFrom(SEED);
    const pick = () => players[random.below(SIZE)] ?? players[0];
    const registering = meanwhile(async () => {
      const player_id = pick()?.player_id ?? "";
      const result = await register(gm, { player_id });
      if (!registered.has(player_id) || result.status === 200) registered.set(player_id, result);
    });
    const renaming = meanwhile(async (n) => {
      const body = { player_id: pick()?.player_id, alias_to: `Aa renamed ${n} x` };
      await s.call("POST /admin/edit_player/{url_id}", { as: gm, body });
    });
    const hunter = await s.join("Hunter");
    await s.outbreak(gm, hunter);
    await register(gm, { alias: "Hunter" });
    const hunting = meanwhile(async () => {
      const prey = await s.store.player(pick()?.player_id ?? "");
      if (prey?.state === "human" && prey.tag_code !== null) await s.hunt(hunter, prey.tag_code);
    });
    const joined: Someone[] = [];
    const joining = meanwhile(async (n) => {
      joined.push(await s.join(`Newcomer ${n} x`));
    });
    const result = await s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", {
      as: gm,
      body: { checkpoint_id },
    });
    over = true;
    const times = await Promise.all([registering, renaming, hunting, joining]);
    expect(result).toMatchObject({ status: 200, body: { complete: true } });
    for (const count of times) expect(count).toBeGreaterThan(0);
    expect(registered.size).toBeGreaterThan(0);

    const began = (
      await s.call("GET /admin/get_logs/{url_id}", {
        as: gm,
        query: { action: "kill_all_not_at_checkpoint" },
      })
    ).body.logs[0].at;
    const after = await s.store.players(players.map(({ player_id }) => player_id));
    let killed = 0;
    for (const [n, { player_id }] of players.entries()) {
      const one = after.get(player_id);
      const hadPass = n % 2 === 0 || registered.get(player_id)?.status === 200;
      expect(one?.state === "corpse", `${one?.alias} passed: ${hadPass}`).toBe(!hadPass);
      if (one?.state === "corpse") killed += 1;
    }
    const others = await s.store.players(joined.map(({ id }) => id));
    for (const { created_at, state } of others.values()) {
      if (created_at > began) expect(state).toBe("human");
    }
    killed += [...others.values()].filter(({ state }) => state === "corpse").length;
    expect(result.body.killed).toBe(killed);
    const deaths: string[] = [];
    for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000)) {
      if (item.kind === "checkpoint_kill") deaths.push(String(item.target));
    }
    expect(deaths).toHaveLength(killed);
    expect(new Set(deaths).size).toBe(killed);
    expect((await s.store.game()).enforcing).toBeNull();
  }, 240_000);
});
