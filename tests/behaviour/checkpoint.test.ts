/**
 * Checkpoints: corrections, the outcome zombie, undoing, and what happens while one is enforced. Commands and dry runs are in
 * `tests/battery/model` and `tests/battery/previews.test.ts`, interruptions in `tests/battery/faults`, crowds in `bulk.test.ts`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { Write } from "../../lib/dynamodb/database.ts";
import { CRATES } from "../support/constants.ts";
import { limitedRuns } from "../support/limitedRuns.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

const { s, limits } = limitedRuns();
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const set = (body: object = {}) => admin(gm, "set_checkpoint", { name: "Library", ...body });
const register = (body: object) => admin(gm, "player_at_checkpoint", body);
const killAll = () => done(gm, "kill_all_not_at_checkpoint");
const undo = (checkpoint_id: string, more: object = {}) =>
  admin(gm, "undo_checkpoint", { checkpoint_id, reason: "The list was late.", ...more });
const inAnHour = () => rfc3339(s.now + HOUR);

it("a correction keeps every pass and may move the end, and a pass from a list on paper is entered late", async () => {
  const [ada] = await s.joinAll("Ada", "Ben", "Cid");
  const { body: checkpoint } = await set({ closes_at: inAnHour(), applies_to: "humans" });
  const { checkpoint_id } = checkpoint;
  await register({ alias: "Ada" });
  s.now += 2 * HOUR;
  await expectRefused(register({ alias: "Ben", reason: "She was there." }), "closed");
  const late = { late: true, reason: "She was on the list." };
  expect((await register({ alias: "Ben", late: true })).body.errors).toMatchObject([{ path: "reason" }]);
  expect((await register({ alias: "Cid", ...late })).status).toBe(200);
  expect((await logsOf(gm, "player_at_checkpoint"))[0].details).toEqual(late);
  const correct = (body: object) => admin(gm, "set_checkpoint", { checkpoint_id, ...body });
  const later = { name: "Mill", closes_at: inAnHour() };
  expect((await correct(later)).body).toEqual({ ...checkpoint, ...later });
  expect((await logsOf(gm, "set_checkpoint"))[0].details).toEqual({
    checkpoint_id,
    name: "Mill",
    corrected: true,
  });
  const place = { latitude: 1, longitude: 0, description: "By the lake" };
  // The table cannot store numbers as small as this.
  expect((await correct({ ...place, longitude: 5e-324 })).body).toEqual({
    ...checkpoint,
    ...later,
    ...place,
  });
  expect((await register({ alias: "Ben" })).status).toBe(200);
  expect((await read(ada, "/checkpoint")).passed).toBe(true);
  for (const body of [{ closes_at: rfc3339(s.now - HOUR) }, { applies_to: "all" }, { clear: true }])
    expect((await correct(body)).status, JSON.stringify(body)).toBe(400);
  await expectRefused(set({ checkpoint_id: crypto.randomUUID() }), "checkpoint_changed");
  // A pass counts at this checkpoint alone.
  await set({ name: "Lake" });
  // As does one that a desk sends when there is a network again.
  await expectRefused(register({ alias: "Ben", checkpoint_id }), "checkpoint_changed");
  expect(await killAll()).toMatchObject({ killed: 3, spared: 0 });
  await set({ clear: true, name: undefined });
  await expectRefused(correct({ name: "Mill" }), "no_checkpoint");
});

it("a repeated dry run has no name of a player who has left since", async () => {
  const [as] = await s.joinAll("Ada");
  const preview = () => admin(gm, "kill_all_not_at_checkpoint", { dry_run: true }, "key");
  await set().then(preview);
  await s.must("DELETE /delete_player/{url_id}", { as });
  expect((await preview()).body.players).toMatchObject([{ alias: null }]);
});

it("a checkpoint that makes zombies makes humans of them again when it is undone, also if they have starved; their tags stay", async () => {
  const [ada, ben, dan] = await s.joinAll("Ada", "Ben", "Dan", "Cid");
  await done(gm, "settings", { checkpoint_outcome: "zombie", feeding_period_seconds: 3_600 });
  const { checkpoint_id } = (await set()).body;
  await register({ alias: "Dan" });
  const [human, awards] = [await s.see(ada), await read(gm, "/interactions/awards")];
  await killAll();
  const own = await s.see(ada);
  expect(own).toMatchObject({ state: "zombie", infected_by: null, tag_code: null, passed_at: null });
  expect(Date.parse(own.starves_at) - Date.parse(own.infected_at)).toBe(HOUR);
  const { interactions } = await read(ada, "/interactions", { player: "me" });
  expect(interactions).toMatchObject([{ kind: "revive_zombie", details: { checkpoint_id } }]);
  await s.hunt(ben, dan);
  await done(gm, "corpsify", { alias: "Cid" });
  s.now += 2 * HOUR;
  await s.sweep();
  expect((await s.see(ada)).state).toBe("corpse");
  const first = { players: [{ alias: "Ada", outcome: "restored" }], next_cursor: expect.any(String) };
  expect((await undo(checkpoint_id, { dry_run: true, limit: 1 })).body).toMatchObject(first);
  const undone = (await undo(checkpoint_id)).body;
  expect(undone).toMatchObject({ restored: 2, changed: 1 });
  const details = { ...undone, checkpoint_id, reason: "The list was late." };
  expect(await logsOf(gm, "undo_checkpoint")).toContainEqual(expect.objectContaining({ details }));
  expect(await s.see(ada)).toEqual(human);
  expect(await s.see(ben)).toMatchObject({ state: "human", tag_code: ben.code, kills: 1 });
  const { roots, size } = await read(gm, "/interactions/tree");
  const byAlias = (one: TestPlayer, other: TestPlayer) => (one.alias < other.alias ? -1 : 1);
  expect(roots.toSorted(byAlias)).toMatchObject([
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

it("an antidote that is taken back makes nobody a zombie again of a checkpoint that was undone, before or after", async () => {
  const [ada, ben, cid] = await s.joinAll("Ada", "Ben", "Cid");
  await done(gm, "settings", { checkpoint_outcome: "zombie", originals_cured: true });
  const { codes } = await done(gm, "create_codes", { ...CRATES, n: 3, effect: { cure: true } });
  const redeem = async (as: TestPlayer): Promise<string> => {
    const body = { code: codes.pop().code };
    return (await s.must("POST /player/redeem/{url_id}", { as, body })).body.redemption_id;
  };
  // Of Cid's life before, not of the one that the checkpoint ends.
  await s.outbreak(gm, cid);
  await redeem(cid);
  const { checkpoint_id } = (await set()).body;
  await killAll();
  await done(gm, "cure", { alias: "Cid" });
  const [first, second] = [await redeem(ada), await redeem(ben)];
  await done(gm, "undo_redemption", { redemption_id: first });
  expect((await undo(checkpoint_id)).body).toMatchObject({ restored: 2, changed: 1 });
  await done(gm, "undo_redemption", { redemption_id: second });
  for (const as of [ada, ben]) expect((await s.see(as)).state).toBe("human");
  const { points } = await read(gm, "/interactions/stats");
  expect(points.at(-1)).toMatchObject({ humans: 3, zombies: 0 });
  expect(await drift(s)).toEqual([]);
});

it("an undo keeps a pass entered since, and restores a hidden original zombie, still hidden and with the time left before", async () => {
  const [ada, ova] = await s.joinAll("Ada", "Ova");
  await done(gm, "settings", { hide_originals: true, checkpoint_outcome: "zombie" });
  await s.outbreak(gm, ova);
  const { starves_at, ...zombie } = await s.see(ova);
  const { checkpoint_id } = (await set()).body;
  await killAll();
  s.now += HOUR;
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
  Object.assign(limits, { used: 0, diesAfter: 2 });
  expect((await undo(checkpoint_id)).status).toBe(500);
  limits.diesAfter = Number.POSITIVE_INFINITY;
  await expectRefused(admin(gm, "kill_all_not_at_checkpoint"), "busy");
  s.now += 2 * MINUTE;
  await s.sweep();
  expect((await read(gm, "/game")).counts).toMatchObject({ humans: 60, corpses: 0 });
});

it("a request that names another checkpoint than the one that is being enforced does not go on with it", async () => {
  await s.crowd(await makeCrowd(s, 60, "human", Date.now() - MINUTE));
  const { checkpoint_id } = (await set()).body;
  await set();
  Object.assign(limits, { used: 0, perRun: 1 });
  expect((await admin(gm, "kill_all_not_at_checkpoint")).status).toBe(202);
  limits.used = 0;
  await expectRefused(admin(gm, "kill_all_not_at_checkpoint", { checkpoint_id }), "busy");
});

it("enforcing a checkpoint finds in its next pass a player whom a pass over the roster missed", async () => {
  await s.joinAll("Ada", "Slip");
  await set();
  await register({ alias: "Ada" });
  const { query } = s.store.db;
  s.store.db.query = async (range, ...more) => {
    const page = await query(range, ...more);
    if (!range.pk.startsWith("ROSTER#")) return page;
    s.store.db.query = query;
    return { ...page, items: page.items.filter(({ alias }) => alias !== "Slip") };
  };
  expect(await killAll()).toMatchObject({ killed: 1, spared: 1, complete: true });
});

const counts = async () => (await read(gm, "/game")).counts;

/** Calls `then` once, before the next transaction that has such a write. */
const beforeNext = (isOne: (write: Write) => boolean, then: () => Promise<unknown>): void => {
  const { transact } = s.store.db;
  s.store.db.transact = async (writes, token) => {
    if (writes.some(isOne)) {
      s.store.db.transact = transact;
      await then();
    }
    await transact(writes, token);
  };
};

describe("a request to enforce a checkpoint that meets another", () => {
  const kill = (key?: string) => admin(gm, "kill_all_not_at_checkpoint", {}, key);
  beforeEach(async () => {
    await s.joinAll("Ann", "Bob", "Cid");
    await set();
  });

  it("starts again after the other, if that was about to end", async () => {
    const [met, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let second: Promise<Result> | undefined;
    const isEnd = (write: Write): boolean =>
      "put" in write && write.put.sk === "STATE" && write.put.enforcing === null;
    beforeNext(isEnd, async () => {
      await done(gm, "revive_h", { alias: "Ann" });
      s.beforeCall = (call, [key]) => {
        if (call !== "get" || key?.pk.startsWith("JOB#") !== true) return;
        s.beforeCall = undefined;
        met.resolve();
        return ended.promise;
      };
      second = kill();
      await met.promise;
    });
    expect(await kill()).toMatchObject({ status: 200, body: { killed: 3, complete: true } });
    ended.resolve();
    // It runs, and does not concern Ann, who was revived after the first had begun.
    expect(await second).toMatchObject({ status: 200, body: { killed: 0, complete: true } });
    expect(await counts()).toMatchObject({ humans: 1, corpses: 2 });
  });
});
