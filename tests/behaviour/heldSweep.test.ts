/** A sweep after a gap, when the clock may have jumped, records nothing and waits for a game master's decision. */
import { describe, expect, it } from "vitest";
import { handler as sweepHandler } from "../../functions/zombie/sweep.ts";
import { readSweepClock } from "../../lib/app/workers/sweepClock.ts";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { startContinuation } from "../../lib/jobs/continuation.ts";
import { keys } from "../../lib/store/keys.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { type Decision, decideGap } from "../../scripts/sweep/gap.ts";
import { asFunction } from "../support/calls.ts";
import { logLines } from "../support/logLines.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import { drift } from "../support/recount.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { makeBrowser } from "../support/webPush.ts";

const BEGAN = Date.now();
const s = testEnvironment({ at: BEGAN });
const { read, admin, done, logsOf } = shortRequests(s);
const lines = logLines();
const counted = recordMetrics();

/** Runs the scheduled sweep. Unlike `s.sweep`, it does not hide the gap since the last sweep. */
const sweep = () => asFunction("sweep", () => sweepHandler.on(s.services)({}, lambdaContext()));

const HELD = { starved: 0, warned: 0, complete: true, held: true };
const CONTINUED = { starved: 0, warned: 0, complete: true };

/** Ada starves two days after her infection; Ben was infected three hours after her, when the last sweep ran. */
const played = async () => {
  const [gm, ada, ben] = await s.game("Ada", "Ben");
  s.now = BEGAN + 3 * HOUR;
  await s.outbreak(gm, ben);
  expect(await sweep()).toEqual(CONTINUED);
  return { gm, ada, ben, from: s.now };
};

/** The same, after a jump of the clock: Ada has starved, and Ben has two hours left. */
const jumped = async () => {
  const game = await played();
  s.now = BEGAN + 49 * HOUR;
  expect(await sweep()).toEqual(HELD);
  return { ...game, gm: await s.login(game.gm.alias, game.gm.password) };
};

const eventsOf = async (gm: TestPlayer, kind: string) =>
  (await read(gm, "/interactions", { kind })).interactions;
const decide = (decision: Decision) => decideGap(s.store, decision);

describe("a sweep after a gap of more than an hour", () => {
  it("records no starvation, warns nobody, logs what to do and raises an alarm, until the clock is corrected", async () => {
    const { gm, ada, ben } = await played();
    const { decrypt: _, ...browser } = makeBrowser();
    const body = { endpoint: "https://updates.push.services.mozilla.com/wpush/v2/ben", ...browser };
    await s.must("POST /notifications/subscribe/{url_id}", { as: ben, body });
    const before = counted.length;
    // A sweep that is not held would record Ada's starvation and warn Ben.
    s.now = BEGAN + 49 * HOUR;
    for (let n = 0; n < 2; n += 1) expect(await sweep()).toEqual(HELD);
    expect(await s.queued()).toEqual([]);
    expect(sumByName(counted.slice(before))).toEqual({ SweepHeld: 2 });
    const [logged = "", ...again] = lines.filter((line) => line.includes("Sweeps are held"));
    expect(again).toHaveLength(1);
    const message = expect.stringMatching(/46 hours later, .* 1 zombie as .*--accept-gap .*--pause-gap/);
    expect(JSON.parse(logged)).toMatchObject({ level: "ERROR", name: "sweep", message });
    s.now = BEGAN + 3 * HOUR + 2 * MINUTE;
    expect(await sweep()).toEqual(CONTINUED);
    expect(lines.some((line) => line.includes("sweeps are no longer held"))).toBe(true);
    expect(await s.see(ada)).toMatchObject({ state: "zombie" });
    expect(await eventsOf(gm, "starve")).toEqual([]);
    expect(await decide("accept")).toBeNull();
    expect(await drift(s)).toEqual([]);
    // After a gap in which nobody starved, sweeps are not held, and the new time is stored.
    for (const hours of [40, 40.1]) {
      s.now = BEGAN + hours * HOUR;
      expect(await sweep()).toEqual(CONTINUED);
      expect(await readSweepClock(s.store)).toMatchObject({ at: s.now });
    }
    expect(lines.filter((line) => line.includes("nobody starved meanwhile"))).toHaveLength(1);
  });

  it("still resumes the enforcement of a checkpoint, and ends a chain of continuations", async () => {
    const { gm } = await jumped();
    await done(gm, "set_checkpoint", { name: "The bridge" });
    const game = await s.store.db.get(keys.game);
    await s.store.db.put({ ...game, ...keys.game, enforcing: "a job that was forgotten" });
    await expectRefused(admin(gm, "set_checkpoint", { clear: true }), "busy");
    await startContinuation(s.services, "x", null);
    await s.work({ hurry: true });
    expect((await s.store.game()).enforcing).toBeNull();
    expect(await s.store.db.get(keys.continuation)).toBeUndefined();
    expect(await s.queued()).toEqual([]);
    expect(await readSweepClock(s.store)).toMatchObject({ held: { due: 1 } });
  });
});

describe("a game master's decision about a gap", () => {
  it("`accept` records the starvations at their deadlines, and is in the audit log", async () => {
    const { gm, ada, from } = await jumped();
    const { sweeps } = await read(gm, "/admin/alerts");
    const since = rfc3339(from + 46 * HOUR);
    expect(sweeps).toEqual({ last_at: rfc3339(from), held: { since, due: 1 } });
    // The decision is not lost when sweeps run concurrently.
    const [decided] = await Promise.all([decide("accept"), sweep(), sweep(), sweep()]);
    expect(decided?.held).toMatchObject({ due: 1, until: from + 46 * HOUR });
    await sweep();
    expect(await readSweepClock(s.store)).not.toHaveProperty("held");
    const starved = { target: ada.alias, at: rfc3339(BEGAN + 48 * HOUR) };
    expect(await eventsOf(gm, "starve")).toMatchObject([starved]);
    const details = { decision: "accept", due: 1, from: rfc3339(from) };
    expect((await logsOf(gm, "sweep")).at(-1)).toMatchObject({ outcome: "done", details });
    expect(await decide("accept")).toBeNull();
    // The decision applies to that gap only: the next one holds sweeps again.
    s.now += 2 * HOUR;
    expect(await sweep()).toEqual(HELD);
  });

  it("`pause` moves every deadline by the length of the gap", async () => {
    const { gm, ada, ben, from } = await jumped();
    await decide("pause");
    expect(await sweep()).toEqual(CONTINUED);
    expect((await s.see(ada)).starves_at).toBe(rfc3339(s.now + 45 * HOUR));
    expect((await s.see(ben)).starves_at).toBe(rfc3339(s.now + 48 * HOUR));
    expect(await eventsOf(gm, "pause")).toMatchObject([{ at: rfc3339(from), actor: null }]);
    expect(await eventsOf(gm, "resume")).toHaveLength(1);
    expect(await drift(s)).toEqual([]);
    s.now += 45 * HOUR;
    expect(await s.sweep()).toMatchObject({ starved: 1 });
  });

  it("`pause` keeps a day that game masters added while sweeps were held, for zombies not yet due, and a pause that they began", async () => {
    const { gm, ada, ben } = await jumped();
    expect(await done(gm, "zombies_add_day")).toMatchObject({ zombies: 1 });
    expect(await sweep()).toEqual(HELD);
    await done(gm, "pause_game");
    expect(await sweep()).toEqual(HELD);
    await decide("pause");
    expect((await s.store.game()).paused_at).not.toBeNull();
    expect(await sweep()).toMatchObject({ starved: 1 });
    expect((await s.see(ada)).state).toBe("corpse");
    expect(Date.parse((await s.see(ben)).starves_at)).toBe(s.now + 26 * HOUR);
  });
});
