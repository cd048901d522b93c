/**
 * Bulk work that runs out of time is continued through the queue, from where it stopped, until it is complete. Work whose
 * process dies is in `tests/battery/faults`.
 */
import { v7 } from "uuid";
import { beforeEach, expect, it } from "vitest";
import { GROUP_BATCH_SIZE } from "../../lib/app/game/groupJob.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import type { Player } from "../../lib/domain/players/player.ts";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys, TOMBSTONES } from "../../lib/store/keys.ts";
import { IS_LARGE, share } from "../support/battery.ts";
import { limitedRuns } from "../support/limitedRuns.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import type { TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { fill, scan } from "../support/table.ts";

const { s, limits, timeLeft } = limitedRuns();
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

type Log = { details: Record<string, unknown> };
const counts = async () => (await read(gm, "/game")).counts;
/** The interactions of a kind. */
const recorded = async (kind: string) => {
  const interactions: StoredItem[] = [];
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000))
    if (item.kind === kind) interactions.push(item);
  return interactions;
};

/** So many players that the work takes several runs, each of several transactions. */
const MANY = IS_LARGE ? share(50_000) : 400;
/** Puts zombies into the table, all infected at one instant. */
const putZombies = async (count: number, since = Date.now() - HOUR): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", since));

/** Puts `count` labelled players into the table, and as many without the label, who must not change. */
const putLabelled = async (state: "zombie" | "corpse", count: number): Promise<void> => {
  const crowd = await makeCrowd(s, 2 * count, state === "zombie" ? "zombie" : "human", Date.now() - MINUTE);
  await s.crowd(crowd.map((one, n) => ({ ...one, state, labels: n < count ? ["late"] : [] }) as Player));
};

/** Sets a checkpoint that `missing` humans have not passed, and half as many have passed. */
const setUpCheckpoint = async (missing: number): Promise<void> => {
  const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Library" });
  const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
  const humans = await makeCrowd(s, missing * 1.5, "human", Date.now() - MINUTE);
  await s.crowd(humans.map((human, n) => (n < missing ? human : { ...human, ...pass })));
};

/** Wrong counters, list entries, meals, kills and states. A crowd lacks guards, passwords and infections. */
const relevantDrift = async () =>
  (await drift(s)).filter(({ kind }) => ["counter", "list entry", "meals", "kills", "state"].includes(kind));

const FEW = 150;
const LATE = { label: "late" };
it.each<
  [
    ...[action: string, body: { label?: string; n?: number; reason?: string }, field: string, n: number],
    ...[arrange: (n: number) => Promise<void>, kind: string],
  ]
>([
  ["kill_all_not_at_checkpoint", {}, "killed", MANY, setUpCheckpoint, "checkpoint_kill"],
  ["feed", { n: FEW }, "count", FEW, (n) => putZombies(n + 20), "feed"],
  ["feed_group", LATE, "count", FEW, (n) => putLabelled("zombie", n), "feed"],
  ["revive_all", { ...LATE, reason: "Storm" }, "count", FEW, (n) => putLabelled("corpse", n), "revive_human"],
])(
  "%s responds 202, is completed through the queue, responds to a retry with the total, and is logged",
  async (...row) => {
    const [action, body, field, n, arrange, kind] = row;
    await arrange(n);
    if (action !== "feed") {
      const preview = { ...body, dry_run: true, limit: 1 };
      const shown = (await admin(gm, action, preview)).body;
      expect(shown).toMatchObject({ [field]: n, next_cursor: expect.any(String) });
      const next = (await admin(gm, action, { ...preview, cursor: shown.next_cursor })).body;
      expect(next.players).not.toEqual(shown.players);
    }
    Object.assign(limits, { used: 0, perRun: Math.max(3, Math.ceil(n / 200)) });
    const command = () => admin(gm, action, body, "a-key");
    const begun = await command();
    expect(begun, begun.text).toMatchObject({ status: 202, body: { complete: false } });
    expect(begun.body[field]).toBeGreaterThan(0);
    expect(begun.body[field]).toBeLessThan(n);
    if (action === "revive_all") expect((await command()).status).toBe(202);
    await s.work({ hurry: true });
    const again = await command();
    expect(again).toMatchObject({ status: 200, body: { [field]: n } });
    expect(again.body.complete).not.toBe(false);
    const all = await recorded(kind);
    expect([all.length, new Set(all.map(({ target }) => target)).size]).toEqual([n, n]);
    expect([...new Set(all.map(({ reason }) => reason))]).toEqual([body.reason]);
    const logs: Log[] = await logsOf(gm, action);
    const ends = logs.filter(({ details }) => details[field] === n && details.dry_run !== true);
    const by = action === "kill_all_not_at_checkpoint" ? {} : { asked_by: expect.any(String) };
    expect(ends).toMatchObject([{ outcome: "done", details: { ...body, ...by } }]);
    expect((await s.store.game()).enforcing).toBeNull();
    expect(await s.queued()).toEqual([]);
    expect(await relevantDrift()).toEqual([]);
  },
);

it("a group that fits into one transaction needs no job", async () => {
  await putLabelled("zombie", GROUP_BATCH_SIZE);
  expect((await admin(gm, "feed_group", LATE)).body.count).toBe(GROUP_BATCH_SIZE);
  expect((await scan(s)).filter(({ pk }) => pk.startsWith("JOB#"))).toEqual([]);
});

it("feeding is 503 without the queue, and leaves out zombies that have starved by the time it continues", async () => {
  await putZombies(FEW + 20);
  const feed = () => admin(gm, "feed", { n: FEW }, "supper");
  Object.assign(limits, { used: 0, perRun: 1 });
  s.hasQueue = false;
  expect((await feed()).status).toBe(503);
  limits.used = 0;
  s.hasQueue = true;
  expect((await feed()).status).toBe(202);
  const before = await recorded("feed");
  limits.perRun = Number.POSITIVE_INFINITY;
  s.now += 47 * HOUR + MINUTE;
  await s.work({ hurry: true });
  expect(await recorded("feed")).toEqual(before);
  expect(await s.queued()).toEqual([]);
  expect(await relevantDrift()).toEqual([]);
});

it("a message that meets a job under a lease is queued again until that has expired", async () => {
  await putZombies(FEW + 20);
  Object.assign(limits, { used: 0, perRun: 1 });
  expect((await admin(gm, "feed", { n: FEW })).status).toBe(202);
  limits.perRun = Number.POSITIVE_INFINITY;
  const [job] = (await scan(s)).filter(({ lease_until }) => lease_until !== undefined);
  // Another process works on it, and dies.
  await s.store.db.put({ ...job, pk: job?.pk ?? "", sk: job?.sk ?? "", lease_until: s.now + MINUTE });
  const messages = await s.queued();
  const run = { services: s.services, requestId: "x", timeLeft };
  await processMessage(run, { kind: "feed", job_id: String(job?.job_id) });
  expect(await s.queued()).toHaveLength(messages.length + 1);
  s.now += 2 * MINUTE;
  await s.work({ hurry: true });
  expect(await recorded("feed")).toHaveLength(FEW);
});

it.each(["delete_player", "remove_player"])(
  "the deletion of a player with many items is 202 while the queue continues it: %s",
  async (action) => {
    const ITEMS = 300;
    const ada = await s.join("Ada");
    const notes = Array.from({ length: ITEMS }, (_, n) => ({ ...keys.note(ada.id, v7()), note: `${n}` }));
    await fill(s.place(), notes);
    Object.assign(limits, { used: 0, perRun: 3 });
    const response =
      action === "delete_player"
        ? await s.call("DELETE /delete_player/{url_id}", { as: ada })
        : await admin(gm, "remove_player", { player_id: ada.id });
    expect(response).toMatchObject({ status: 202, body: { complete: false } });
    // What is stored about a departure is not of the account.
    const isLeft = ({ pk }: { pk: string }): boolean => pk.includes(ada.id) && !pk.startsWith(TOMBSTONES);
    const itemsLeft = async () => (await scan(s)).filter(isLeft).length;
    expect((await s.see(ada)).alias).toBe("Ada");
    expect(await itemsLeft()).toBeGreaterThan(ITEMS / 4);
    await s.work({ hurry: true });
    expect(await itemsLeft()).toBe(0);
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
    const [end, beginning] = await logsOf(gm, action);
    expect(end).toMatchObject({ outcome: "done", target: null, details: {} });
    expect(beginning.details).toMatchObject({ complete: false });
    expect(await drift(s)).toEqual([]);
    expect(await s.queued()).toEqual([]);
  },
);

it("the sweep continues through the queue until everybody due has starved once, one run at a time", async () => {
  await putZombies(MANY, Date.now() - 49 * HOUR);
  Object.assign(limits, { used: 0, perRun: Math.ceil(MANY / 200) });
  const run = { services: s.services, requestId: "x", timeLeft };
  expect(await sweep(run)).toMatchObject({ complete: false });
  limits.used = limits.perRun;
  expect(await sweep(run)).toMatchObject({ starved: 0, complete: false });
  const [message, ...others] = await s.queued();
  expect(others).toEqual([]);
  // A message that is delivered twice queues one continuation: the second time, the fencing token has changed.
  for (let n = 0; n < 2; n += 1) {
    limits.used = limits.perRun;
    await sweep(run, { fencingToken: message?.message.fencingToken });
  }
  expect(await s.queued()).toHaveLength(2);
  // After a time without a further run, another chain may begin.
  s.now += 2 * MINUTE;
  limits.used = limits.perRun;
  await sweep(run);
  expect(await s.queued()).toHaveLength(3);
  await s.work({ hurry: true });
  expect(await counts()).toMatchObject({ zombies: 0, corpses: MANY });
  expect(await recorded("starve")).toHaveLength(MANY);
});
