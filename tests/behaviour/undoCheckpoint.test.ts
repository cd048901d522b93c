/** Undoing the enforcement of a checkpoint: everybody is what they were before, but for who has changed since. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { randomFrom, SEED, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

let [passed, transactionsLeft] = [0, Number.POSITIVE_INFINITY];
beforeEach(() => {
  [passed, transactionsLeft] = [0, Number.POSITIVE_INFINITY];
});
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

const admin = (word: string, as: Someone, body: unknown = {}) =>
  s.must(`POST /admin/${word}/{url_id}`, { as, body });
const undo = (as: Someone, body: Record<string, unknown>, key?: string) =>
  s.call("POST /admin/undo_checkpoint/{url_id}", {
    as,
    body: { reason: "The list was late.", ...body },
    key,
  });
const own = async (as: Someone) => (await s.must("GET /player/{url_id}", { as })).body;
const setCheckpoint = async (gm: Someone, body: object = {}): Promise<string> =>
  (await admin("set_checkpoint", gm, { name: "Library", ...body })).body.checkpoint_id;
const read = async (as: Someone, path: string) => (await s.must(`GET ${path}/{url_id}`, { as })).body;

describe("undoing a checkpoint", () => {
  it("restores humans with their code, and zombies with the time that they had left", async () => {
    const [gm, ada, ben, zed] = [
      await s.admin(),
      await s.join("Ada"),
      await s.join("Ben"),
      await s.join("Zed"),
    ];
    await s.outbreak(gm, zed);
    await s.hunt(zed, (await s.join("Cid")).code ?? "");
    const checkpoint_id = await setCheckpoint(gm);
    await admin("player_at_checkpoint", gm, { alias: "Ben" });
    const refused = await undo(gm, { checkpoint_id });
    expect(refused).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    passed = HOUR;
    const [human, survivors] = [await own(ada), await read(ada, "/interactions/leaderboard")];
    const { starves_at: starved, ...zombieBefore } = await own(zed);
    expect((await admin("kill_all_not_at_checkpoint", gm)).body).toMatchObject({ killed: 3, spared: 1 });
    // A zombie who is dead neither starves nor gets the day.
    passed += 2 * HOUR;
    await admin("pause_game", gm);
    passed += 3 * HOUR;
    await admin("resume_game", gm);
    await admin("zombies_add_day", gm);
    const dry = (await undo(gm, { checkpoint_id, dry_run: true, limit: 2 })).body;
    expect(dry).toMatchObject({ restored: 3, changed: 0, job_id: null });
    expect(dry.players).toEqual([
      { alias: "Ada", state: "corpse", outcome: "restored" },
      { alias: "Cid", state: "corpse", outcome: "restored" },
    ]);
    expect((await own(ada)).state).toBe("corpse");
    const done = await undo(gm, { checkpoint_id }, "undo");
    expect(done.body).toMatchObject({ restored: 3, changed: 0, complete: true });
    expect((await undo(gm, { checkpoint_id }, "undo")).body).toEqual(done.body);
    expect((await undo(gm, { checkpoint_id })).body).toMatchObject({ restored: 0, changed: 0 });
    expect(await own(ada)).toEqual(human);
    const { starves_at, ...rest } = await own(zed);
    expect(rest).toEqual(zombieBefore);
    expect(Math.abs(Date.parse(starves_at) - Date.parse(starved) - 5 * HOUR)).toBeLessThan(MINUTE);
    expect(await read(ada, "/interactions/leaderboard")).toEqual(survivors);
    expect((await own(ben)).state).toBe("human");
    const { counts, checkpoint } = await read(ada, "/game");
    expect(counts).toMatchObject({ humans: 2, zombies: 2, corpses: 0 });
    expect(checkpoint).toMatchObject({ checkpoint_id, enforced_at: expect.any(String) });
    expect(checkpoint.undone_at > checkpoint.enforced_at).toBe(true);
    const { interactions } = await read(ada, "/interactions");
    expect(interactions[0]).toMatchObject({ kind: "void", details: { checkpoint_id } });
    const kills = interactions.filter(({ kind }: { kind: string }) => kind === "checkpoint_kill");
    expect(kills.map(({ details }: { details: object }) => details)).toEqual(Array(3).fill({ voided: true }));
    const logs = (
      await s.must("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "undo_checkpoint" } })
    ).body.logs;
    expect(logs.map(({ details }: { details: object }) => details)).toContainEqual({
      ...{ job_id: done.body.job_id, checkpoint_id, reason: "The list was late." },
      ...{ restored: 3, changed: 0, complete: true },
    });
    // The life goes on: the same code is tagged, and the checkpoint can be enforced again.
    expect((await s.hunt(zed, ada.code ?? "")).status).toBe(200);
    expect((await admin("kill_all_not_at_checkpoint", gm)).body).toMatchObject({ killed: 3, spared: 1 });
    expect((await read(ada, "/game")).checkpoint.undone_at).toBeNull();
    expect(await drift(s)).toEqual([]);
  });

  it("leaves alone, and names, who has changed since by something else", async () => {
    const gm = await s.admin();
    const [ada, ben, cid] = [await s.join("Ada"), await s.join("Ben"), await s.join("Cid")];
    for (const alias of ["Dan", "Eve", "Fay"]) await s.join(alias);
    const checkpoint_id = await setCheckpoint(gm);
    await admin("kill_all_not_at_checkpoint", gm);
    passed = MINUTE;
    await admin("revive_h", gm, { alias: "Ada" });
    await admin("revive_z", gm, { alias: "Ben" });
    await admin("revive_h", gm, { alias: "Cid" });
    await admin("corpsify", gm, { alias: "Cid" });
    await admin("make_spectator", gm, { alias: "Dan" });
    const before = await Promise.all([ada, ben, cid].map(own));
    // It need not be the current checkpoint.
    await setCheckpoint(gm);
    expect((await undo(gm, { checkpoint_id })).body).toMatchObject({ restored: 2, changed: 4 });
    expect(await Promise.all([ada, ben, cid].map(own))).toEqual(before);
    const { body } = await undo(gm, { checkpoint_id, dry_run: true });
    expect(body).toMatchObject({ restored: 0, changed: 4 });
    expect(body.players.map(({ alias, outcome }: Record<string, string>) => [alias, outcome])).toEqual(
      ["Ada", "Ben", "Cid", "Dan"].map((alias) => [alias, "changed"]),
    );
  });

  it("makes those humans again whom it had made zombies, also if they have starved; their tags stay", async () => {
    const [gm, ada, ben, cid, dan] = [
      await s.admin(),
      await s.join("Ada"),
      await s.join("Ben"),
      await s.join("Cid"),
      await s.join("Dan"),
    ];
    await admin("settings", gm, { checkpoint_outcome: "zombie", feeding_period_seconds: 3_600 });
    const checkpoint_id = await setCheckpoint(gm);
    await admin("player_at_checkpoint", gm, { alias: "Dan" });
    const [human, awards] = [await own(ada), await read(gm, "/interactions/awards")];
    await admin("kill_all_not_at_checkpoint", gm);
    await s.hunt(ben, dan.code ?? "");
    await admin("corpsify", gm, { alias: "Cid" });
    passed = 2 * HOUR;
    await s.sweep();
    expect((await own(ada)).state).toBe("corpse");
    expect((await undo(gm, { checkpoint_id })).body).toMatchObject({ restored: 2, changed: 1 });
    expect(await own(ada)).toEqual(human);
    expect(await own(ben)).toMatchObject({ state: "human", tag_code: ben.code, kills: 1 });
    expect([(await own(cid)).state, (await own(dan)).state]).toEqual(["corpse", "corpse"]);
    const { roots, size } = await read(gm, "/interactions/tree");
    const node = (alias: string) => roots.find((one: { alias: string }) => one.alias === alias);
    expect([node("Ada").voided, node("Ben").voided, node("Cid").voided, size]).toEqual([
      true,
      true,
      false,
      4,
    ]);
    expect(node("Ben").children).toMatchObject([{ alias: "Dan", voided: false }]);
    const { players } = await read(gm, "/interactions/leaderboard");
    const kills = players.map(({ alias, kills }: { alias: string; kills: number }) => [alias, kills]);
    expect([kills[0], ...kills.slice(1).toSorted()]).toEqual([
      ["Ben", 1],
      ...["Ada", "Cid", "Dan"].map((alias) => [alias, 0]),
    ]);
    await admin("settings", gm, { name: "A later revision of the game" });
    const after = await read(gm, "/interactions/awards");
    expect([awards.last_human, after.last_human].map(({ winners }) => winners.length)).toEqual([4, 2]);
    expect(after.longest_survivor.value).toBeGreaterThanOrEqual((2 * HOUR) / 1_000);
    const { points } = await read(gm, "/interactions/stats");
    for (const point of points) expect(point.humans).toBe(2);
    expect(points.at(-1)).toMatchObject({ zombies: 0, corpses: 2 });
    expect(await drift(s)).toEqual([]);
  });

  it("keeps a pass that was entered since, and what a hidden original zombie is", async () => {
    const [gm, ada, ova] = [await s.admin(), await s.join("Ada"), await s.join("Ova")];
    await admin("settings", gm, { hide_originals: true, checkpoint_outcome: "zombie" });
    await s.outbreak(gm, ova);
    const zombie = await own(ova);
    const checkpoint_id = await setCheckpoint(gm);
    await admin("kill_all_not_at_checkpoint", gm);
    const late = { late: true, reason: "She was on the list." };
    await admin("player_at_checkpoint", gm, { alias: "Ada", ...late });
    const { passed_at } = await own(ada);
    expect((await undo(gm, { checkpoint_id })).body).toMatchObject({ restored: 2, changed: 0 });
    expect(await own(ada)).toMatchObject({ state: "human", tag_code: ada.code, passed_at });
    const { starves_at, ...rest } = zombie;
    expect(await own(ova)).toMatchObject(rest);
    expect(Math.abs(Date.parse((await own(ova)).starves_at) - Date.parse(starves_at))).toBeLessThan(MINUTE);
    const shown = await s.must("POST /get_player/{url_id}", { as: ada, body: { alias: "Ova" } });
    expect(shown.body.state).toBe("human");
  });
});

const SIZE = share(5_000, 300);
it(`restores ${SIZE} players exactly once, though it is interrupted and players are revived meanwhile`, async () => {
  const gm = await s.admin();
  const since = Date.now() - MINUTE;
  const players = [
    ...(await makeCrowd(s, SIZE / 2, "zombie", since)),
    ...(await makeCrowd(s, SIZE / 2, "human", since)),
  ];
  await s.crowd(players);
  const ids = players.map(({ player_id }) => player_id);
  const checkpoint_id = await setCheckpoint(gm);
  await admin("kill_all_not_at_checkpoint", gm);
  console.info(`undo: seed ${SEED}`);
  const random = randomFrom(SEED);
  const revived = new Set<string>();
  const revive = async () => {
    const player_id = ids[random.below(ids.length)] ?? "";
    const { status } = await s.call("POST /admin/revive_h/{url_id}", { as: gm, body: { player_id } });
    if (status === 200) revived.add(player_id);
  };
  for (let tries = 0; ; tries += 1) {
    await revive();
    transactionsLeft = 3;
    const { status } = await undo(gm, { checkpoint_id });
    transactionsLeft = Number.POSITIVE_INFINITY;
    if (tries > 2) break;
    expect(status).toBe(500);
    // Nothing else may happen to a checkpoint meanwhile.
    expect((await s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm })).body.code).toBe(
      "busy",
    );
    passed += MINUTE;
  }
  passed += MINUTE;
  await s.sweep();
  const after = await s.store.players(ids);
  for (const before of players) {
    const { state, tag_code } = after.get(before.player_id) ?? {};
    if (revived.has(before.player_id)) expect(state).toBe("human");
    else expect([state, tag_code]).toEqual([before.state, before.tag_code]);
  }
  const voids = new Map<string, number>();
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000)) {
    if (item.kind === "void") voids.set(String(item.target), (voids.get(String(item.target)) ?? 0) + 1);
  }
  expect(new Set(voids.values())).toEqual(new Set([1]));
  expect(voids.size).toBe(SIZE - revived.size);
  expect((await s.store.game()).enforcing).toBeNull();
  const { zombies, corpses } = (await read(gm, "/game")).counts;
  expect([zombies, corpses]).toEqual([
    [...after.values()].filter(({ state }) => state === "zombie").length,
    0,
  ]);
}, 240_000);
