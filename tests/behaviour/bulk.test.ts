/**
 * Bulk work whose time is too short is continued through the queue, from where it stopped, to its end. Work whose process
 * dies is in `tests/battery/faults`.
 */
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { IS_LARGE, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { fill, scan } from "../support/table.ts";

/** How many transactions fit into a run before its time is up, and how many it has done. */
let [perRun, used] = [Number.POSITIVE_INFINITY, 0];
let hasQueue = true;
/** How far the service's clock is ahead, in milliseconds. */
let passed = 0;

const timeLeft = (): number => (used >= perRun ? 2 * SECOND : 20 * SECOND);
const s = testEnvironment({
  database: (usual) => ({
    ...usual,
    transact: async (writes, token) => {
      used += 1;
      await usual.transact(writes, token);
    },
  }),
  timeLeft,
  services: (usual) => ({
    clock: () => usual.clock() + passed,
    queue: {
      async send(messages) {
        if (!hasQueue) throw new Error("the queue is away");
        await usual.queue.send(messages);
        // The next run counts its own transactions.
        used = 0;
      },
    },
  }),
});
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  [perRun, used, hasQueue, passed] = [Number.POSITIVE_INFINITY, 0, true, 0];
  gm = await s.admin();
});

const counts = async () => (await read(gm, "/game")).counts;
/** The interactions of a kind. */
const recorded = async (kind: string) => {
  const interactions: unknown[] = [];
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000))
    if (item.kind === kind) interactions.push(item);
  return interactions;
};

/** Several transactions fit into a run, and several runs are needed. */
const MANY = IS_LARGE ? share(50_000) : 400;
/** A fraction of the transactions that so many players need. */
const FEW_TRANSACTIONS = Math.ceil(MANY / 200);

it("enforcing a checkpoint is 202 while it continues, ends through the queue, and is logged at its end", async () => {
  const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Library" });
  const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
  const humans = await makeCrowd(s, MANY, "human", Date.now() - MINUTE);
  await s.crowd(humans.map((human, n) => (n % 3 === 0 ? { ...human, ...pass } : human)));
  const kill = () => admin(gm, "kill_all_not_at_checkpoint", {}, "key");
  [used, perRun] = [0, FEW_TRANSACTIONS];
  const begun = await kill();
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({ complete: false, job_id: expect.any(String) });
  expect(begun.body.killed).toBeGreaterThan(0);
  expect(begun.body.killed).toBeLessThan(MANY / 2);
  expect(await s.queued()).toMatchObject([{ message: { kind: "sweep" } }]);
  await s.work({ hurry: true });
  const killed = MANY - Math.ceil(MANY / 3);
  expect(await counts()).toMatchObject({ humans: MANY - killed, corpses: killed });
  perRun = Number.POSITIVE_INFINITY;
  const body = { killed, spared: MANY - killed, complete: true };
  expect(await kill()).toMatchObject({ status: 200, body });
  const logs = await logsOf(gm, "kill_all_not_at_checkpoint");
  const logged = expect.objectContaining({ details: expect.objectContaining({ killed, complete: true }) });
  expect(logs).toContainEqual(logged);
  expect((await s.store.game()).enforcing).toBeNull();
  expect(await s.queued()).toEqual([]);
});

/** Zombies by the thousand, all infected at one instant. */
const zombies = async (count: number, since: number): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", since));

describe("feeding", () => {
  const N = 150;
  let drifted: unknown = [];
  const feed = () => admin(gm, "feed", { n: N }, "supper");
  beforeEach(async () => {
    await zombies(N + 20, Date.now() - HOUR);
    // Players put straight into the table lack guards and passwords; nothing else may be missing afterwards.
    drifted = await drift(s);
    [used, perRun] = [0, 3];
  });

  it("is 202 with those fed so far while it continues, ends through the queue, and is complete on retry", async () => {
    const begun = await feed();
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, job_id: expect.any(String) });
    expect(begun.body.fed).toHaveLength(begun.body.count);
    expect(begun.body.count).toBeGreaterThan(0);
    expect(begun.body.count).toBeLessThan(N);
    await s.work({ hurry: true });
    expect(await recorded("feed")).toHaveLength(N);
    expect(await logsOf(gm, "feed")).toMatchObject([
      { outcome: "done", actor: gm.alias, details: { n: N, count: N } },
      { details: { n: N, complete: false } },
    ]);
    const again = await feed();
    expect(again).toMatchObject({ status: 200, body: { count: N } });
    expect(again.body).not.toHaveProperty("complete");
    expect(new Set(again.body.fed.map(({ alias }: TestPlayer) => alias)).size).toBe(N);
    expect(await drift(s)).toEqual(drifted);
    expect(await s.queued()).toEqual([]);
  });

  it("leaves out zombies that have starved by the time it continues", async () => {
    expect((await feed()).status).toBe(202);
    const before = await recorded("feed");
    perRun = Number.POSITIVE_INFINITY;
    passed = 47 * HOUR + MINUTE;
    await s.work({ hurry: true });
    expect(await recorded("feed")).toEqual(before);
    expect(await s.queued()).toEqual([]);
    expect(await drift(s)).toEqual(drifted);
  });

  it("is 503 where time is short and the queue unavailable, and resumes on retry with its key", async () => {
    hasQueue = false;
    expect((await feed()).status).toBe(503);
    perRun = Number.POSITIVE_INFINITY;
    expect(await feed()).toMatchObject({ status: 200, body: { count: N } });
    expect(await recorded("feed")).toHaveLength(N);
  });
});

it.each([
  ["their own", "delete_player"],
  ["a game master's", "remove_player"],
])(
  "the deletion of a player with many items is 202 while the queue continues it: %s",
  async (_whose, action) => {
    const ITEMS = 300;
    const ada = await s.join("Ada");
    const notes = Array.from({ length: ITEMS }, (_, n) => ({ ...keys.note(ada.id, v7()), note: `${n}` }));
    const stored = { fingerprint: "", status: 200, body: "{}", expires: Math.ceil(Date.now() / SECOND) + 60 };
    const responses = notes
      .slice(0, ITEMS / 2)
      .map(({ note }) => ({ ...keys.response(ada.id, note), ...stored }));
    await fill(s.place(), [...notes, ...responses]);
    [used, perRun] = [0, 3];
    const own = action === "delete_player";
    const response = own
      ? await s.call("DELETE /delete_player/{url_id}", { as: ada })
      : await admin(gm, "remove_player", { player_id: ada.id });
    expect(response).toMatchObject({ status: 202, body: { complete: false } });
    const itemsLeft = async () => (await scan(s)).filter(({ pk }) => pk.includes(ada.id)).length;
    expect((await s.see(ada)).alias).toBe("Ada");
    expect(await itemsLeft()).toBeGreaterThan(ITEMS / 3);
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
  await zombies(MANY, Date.now() - 49 * HOUR);
  [used, perRun] = [0, FEW_TRANSACTIONS];
  const run = { services: s.services, requestId: "x", timeLeft };
  expect(await sweep(run)).toMatchObject({ complete: false });
  used = perRun;
  expect(await sweep(run)).toMatchObject({ starved: 0, complete: false });
  const [message, ...others] = await s.queued();
  expect(others).toEqual([]);
  // A message that is received twice continues once: the second finds another fencing token.
  const twice = { fencingToken: message?.message.fencingToken };
  for (let n = 0; n < 2; n += 1) {
    used = perRun;
    await sweep(run, twice);
  }
  expect(await s.queued()).toHaveLength(2);
  await s.work({ hurry: true });
  expect(await counts()).toMatchObject({ zombies: 0, corpses: MANY });
  expect(await recorded("starve")).toHaveLength(MANY);
});
