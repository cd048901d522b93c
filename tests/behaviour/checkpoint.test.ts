/**
 * Checkpoints: corrections, the outcome zombie, undoing, and that enforcing one is exact for a crowd. Commands and dry runs of
 * few players are in `tests/battery/model` and `tests/battery/previews.test.ts`, interruptions in `tests/battery/faults`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { randomFrom, SEED, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { outcomeOf, shortRequests } from "../support/shortRequests.ts";

let [passed, transactionsLeft] = [0, Number.POSITIVE_INFINITY];
const s = testEnvironment({
  services: (usual) => ({ clock: () => usual.clock() + passed }),
  database: (usual) => ({
    ...usual,
    transact: async (writes, token) => {
      transactionsLeft -= 1;
      if (transactionsLeft < 0) throw new Error("the process was killed here");
      await usual.transact(writes, token);
    },
  }),
});
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  [passed, transactionsLeft] = [0, Number.POSITIVE_INFINITY];
  gm = await s.admin();
});

const set = (body: object = {}) => admin(gm, "set_checkpoint", { name: "Library", ...body });
const register = (body: object) => admin(gm, "player_at_checkpoint", body);
const killAll = () => done(gm, "kill_all_not_at_checkpoint");
const undo = (checkpoint_id: string) =>
  admin(gm, "undo_checkpoint", { checkpoint_id, reason: "The list was late." });
const inAnHour = () => rfc3339(Date.now() + passed + HOUR);

describe("a correction", () => {
  it("changes the checkpoint and keeps every pass; its end can be moved, not into the past", async () => {
    const ada = await s.join("Ada");
    const { body: checkpoint } = await set({ closes_at: inAnHour(), applies_to: "humans" });
    const { checkpoint_id } = checkpoint;
    await register({ alias: "Ada" });
    passed = 2 * HOUR;
    await s.join("Ben");
    expect(outcomeOf(await register({ alias: "Ben" }))).toEqual([409, "closed"]);
    const correct = (body: object) => admin(gm, "set_checkpoint", { checkpoint_id, ...body });
    const later = { name: "Mill", closes_at: inAnHour() };
    expect((await correct(later)).body).toEqual({ ...checkpoint, ...later });
    expect((await logsOf(gm, "set_checkpoint"))[0].details).toEqual({ checkpoint_id, corrected: true });
    const place = { latitude: 1, longitude: 2, description: "By the lake" };
    expect((await correct(place)).body).toEqual({ ...checkpoint, ...later, ...place });
    expect((await register({ alias: "Ben" })).status).toBe(200);
    expect((await read(ada, "/checkpoint")).passed).toBe(true);
    const closes_at = rfc3339(Date.now());
    for (const body of [{ closes_at }, { applies_to: "all" }, { clear: true }])
      expect((await correct(body)).status, JSON.stringify(body)).toBe(400);
    expect((await set({ closes_at })).status).toBe(400);
    const another = { checkpoint_id: crypto.randomUUID() };
    expect(outcomeOf(await set(another))).toEqual([409, "checkpoint_changed"]);
    await admin(gm, "set_checkpoint", { clear: true });
    expect(outcomeOf(await correct({ name: "Mill" }))).toEqual([409, "no_checkpoint"]);
  });

  it("of a pass from a list on paper is entered late, with a reason", async () => {
    await s.join("Ada");
    await set({ closes_at: inAnHour() });
    passed = 2 * HOUR;
    const late = { late: true, reason: "She was on the list." };
    const { errors } = (await register({ alias: "Ada", late: true })).body;
    expect(errors).toMatchObject([{ path: "reason" }]);
    expect((await register({ alias: "Ada", reason: late.reason })).body.code).toBe("closed");
    expect((await register({ alias: "Ada", ...late })).status).toBe(200);
    expect((await logsOf(gm, "player_at_checkpoint"))[0].details).toEqual(late);
  });
});

it("a checkpoint that was enforced is over: it does not kill again who was revived or has joined since", async () => {
  for (const alias of ["Ada", "Ben"]) await s.join(alias);
  await set();
  expect(await killAll()).toMatchObject({ killed: 2, spared: 0 });
  passed = MINUTE;
  await done(gm, "revive_h", { alias: "Ada" });
  await done(gm, "revive_z", { alias: "Ben" });
  await s.join("Cid");
  expect(await killAll()).toMatchObject({ killed: 0, spared: 0, complete: true });
});

describe("a checkpoint that makes zombies of humans", () => {
  it("puts them into the tree with a full feeding period, and kills zombies", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    await done(gm, "settings", { checkpoint_outcome: "zombie" });
    await s.outbreak(gm, ben);
    const { checkpoint_id } = (await set()).body;
    for (const killed of [2, 0]) expect(await killAll()).toMatchObject({ killed, spared: 0 });
    const own = await s.see(ada);
    expect(own).toMatchObject({ state: "zombie", infected_by: null, tag_code: null, passed_at: null });
    expect(Date.parse(own.starves_at) - Date.parse(own.infected_at)).toBe(48 * HOUR);
    expect((await s.see(ben)).state).toBe("corpse");
    const { interactions } = await read(ada, "/interactions", { player: "me" });
    expect(interactions).toMatchObject([{ kind: "revive_zombie", details: { checkpoint_id } }]);
    const { roots } = await read(ada, "/interactions/tree");
    expect(roots).toMatchObject([{ alias: "Ben" }, { alias: "Ada" }]);
  });

  it("makes humans of them again when it is undone, also if they have starved; their tags stay", async () => {
    const names = ["Ada", "Ben", "Cid", "Dan"] as const;
    const [ada, ben, , dan] = [
      await s.join(names[0]),
      await s.join(names[1]),
      await s.join(names[2]),
      await s.join(names[3]),
    ];
    await done(gm, "settings", { checkpoint_outcome: "zombie", feeding_period_seconds: 3_600 });
    const { checkpoint_id } = (await set()).body;
    await register({ alias: "Dan" });
    const [human, awards] = [await s.see(ada), await read(gm, "/interactions/awards")];
    await killAll();
    await s.hunt(ben, dan);
    await done(gm, "corpsify", { alias: "Cid" });
    passed = 2 * HOUR;
    await s.sweep();
    expect((await s.see(ada)).state).toBe("corpse");
    const dry = { checkpoint_id, reason: "The list was late.", dry_run: true, limit: 1 };
    const { players, next_cursor } = await done(gm, "undo_checkpoint", dry);
    expect([players, next_cursor]).toEqual([
      [expect.objectContaining({ alias: "Ada", outcome: "restored" })],
      expect.any(String),
    ]);
    const undone = (await undo(checkpoint_id)).body;
    expect(undone).toMatchObject({ restored: 2, changed: 1 });
    expect(await logsOf(gm, "undo_checkpoint")).toContainEqual(
      expect.objectContaining({ details: { ...undone, checkpoint_id, reason: "The list was late." } }),
    );
    expect(await s.see(ada)).toEqual(human);
    expect(await s.see(ben)).toMatchObject({ state: "human", tag_code: ben.code, kills: 1 });
    const { roots, size } = await read(gm, "/interactions/tree");
    expect(
      roots.toSorted((one: TestPlayer, other: TestPlayer) => (one.alias < other.alias ? -1 : 1)),
    ).toMatchObject([
      { alias: "Ada", voided: true },
      { alias: "Ben", voided: true, children: [{ alias: "Dan", voided: false }] },
      { alias: "Cid", voided: false },
    ]);
    expect(size).toBe(4);
    await done(gm, "settings", { name: "A later revision of the game" });
    const after = await read(gm, "/interactions/awards");
    expect([awards, after].map(({ last_human }) => last_human.winners.length)).toEqual([4, 2]);
    expect(after.longest_survivor.value).toBeGreaterThanOrEqual((2 * HOUR) / 1_000);
    const { points } = await read(gm, "/interactions/stats");
    for (const point of points) expect(point.humans).toBe(2);
    expect(points.at(-1)).toMatchObject({ zombies: 0, corpses: 2 });
    expect(await drift(s)).toEqual([]);
  });
});

it("an undo keeps a pass that was entered since, and what a hidden original zombie is, with the time that was left", async () => {
  const [ada, ova] = [await s.join("Ada"), await s.join("Ova")];
  await done(gm, "settings", { hide_originals: true, checkpoint_outcome: "zombie" });
  await s.outbreak(gm, ova);
  const { starves_at, ...zombie } = await s.see(ova);
  const { checkpoint_id } = (await set()).body;
  await killAll();
  passed = HOUR;
  await register({ alias: "Ada", late: true, reason: "She was on the list." });
  const { passed_at } = await s.see(ada);
  expect((await undo(checkpoint_id)).body).toMatchObject({ restored: 2, changed: 0 });
  expect(await s.see(ada)).toMatchObject({ state: "human", tag_code: ada.code, passed_at });
  const restored = await s.see(ova);
  expect(restored).toMatchObject(zombie);
  expect(Math.abs(Date.parse(restored.starves_at) - Date.parse(starves_at) - HOUR)).toBeLessThan(MINUTE);
  const { body } = await s.must("POST /get_player/{url_id}", { as: ada, body: { alias: "Ova" } });
  expect(body.state).toBe("human");
});

it("a checkpoint is not enforced while an interrupted undo of it waits for the sweep", async () => {
  await s.crowd(await makeCrowd(s, 60, "human", Date.now() - MINUTE));
  const { checkpoint_id } = (await set()).body;
  await killAll();
  transactionsLeft = 2;
  expect((await undo(checkpoint_id)).status).toBe(500);
  transactionsLeft = Number.POSITIVE_INFINITY;
  expect(outcomeOf(await admin(gm, "kill_all_not_at_checkpoint"))).toEqual([409, "busy"]);
  passed = 2 * MINUTE;
  await s.sweep();
  expect((await read(gm, "/game")).counts).toMatchObject({ humans: 60, corpses: 0 });
});

const SIZE = share(5_000, 300);
it(`enforcing a checkpoint is exact for ${SIZE} players while others pass, are renamed, are infected and join`, async () => {
  const since = Date.now() - MINUTE;
  const zombies = await makeCrowd(s, SIZE, "zombie", since);
  const humans = await makeCrowd(s, SIZE, "human", since);
  const players = humans.map((human, n) => (n % 3 === 0 ? (zombies[n] ?? human) : human));
  const { checkpoint_id } = (await set()).body;
  const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
  await s.crowd(players.map((one, n) => (n % 2 === 0 ? { ...one, ...pass } : one)));

  let over = false;
  /** Repeats an action until the enforcement has ended. */
  const meanwhile = async (action: (n: number) => Promise<unknown>): Promise<void> => {
    let times = 0;
    for (; !over; times += 1) {
      await action(times);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(times).toBeGreaterThan(0);
  };
  const registered = new Map<string, Result>();
  console.info(`checkpoint: seed ${SEED}`);
  const random = randomFrom(SEED);
  const anyId = () => players[random.below(SIZE)]?.player_id ?? "";
  const hunter = await s.join("Hunter");
  await s.outbreak(gm, hunter);
  await register({ alias: "Hunter" });
  const joined: TestPlayer[] = [];
  const others = [
    meanwhile(async () => {
      const player_id = anyId();
      const result = await register({ player_id });
      if (!registered.has(player_id) || result.status === 200) registered.set(player_id, result);
    }),
    meanwhile((n) => admin(gm, "edit_player", { player_id: anyId(), alias_to: `Aa renamed ${n} x` })),
    meanwhile(async () => {
      const prey = await s.store.player(anyId());
      if (prey?.state === "human" && prey.tag_code !== null) await s.hunt(hunter, prey.tag_code);
    }),
    meanwhile(async (n) => joined.push(await s.join(`Newcomer ${n} x`))),
  ];
  const result = await admin(gm, "kill_all_not_at_checkpoint", { checkpoint_id });
  over = true;
  await Promise.all(others);
  expect(result).toMatchObject({ status: 200, body: { complete: true } });

  const after = await s.store.players(players.map(({ player_id }) => player_id));
  let killed = 0;
  for (const [n, { player_id }] of players.entries()) {
    const one = after.get(player_id);
    const hadPass = n % 2 === 0 || registered.get(player_id)?.status === 200;
    expect(one?.state === "corpse", `${one?.alias} passed: ${hadPass}`).toBe(!hadPass);
    if (one?.state === "corpse") killed += 1;
  }
  const [{ at: began }] = await logsOf(gm, "kill_all_not_at_checkpoint");
  for (const { created_at, state } of (await s.store.players(joined.map(({ id }) => id))).values()) {
    if (created_at > began) expect(state).toBe("human");
    if (state === "corpse") killed += 1;
  }
  const deaths: string[] = [];
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000)) {
    if (item.kind === "checkpoint_kill") deaths.push(String(item.target));
  }
  expect([result.body.killed, deaths.length, new Set(deaths).size]).toEqual([killed, killed, killed]);
  expect((await s.store.game()).enforcing).toBeNull();
}, 240_000);
