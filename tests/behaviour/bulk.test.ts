/**
 * Bulk work whose time is too short is continued through the queue, from where it stopped, to its end. Work whose process
 * dies is in `tests/battery/faults`.
 */
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../lib/app/workers/sweep.ts";
import type { Interaction } from "../../lib/domain/interaction.ts";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { parseInteraction } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { IS_LARGE, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";
import { fill, scan } from "../support/table.ts";

/** How many transactions fit into a run before its time is up. */
let perRun = Number.POSITIVE_INFINITY;
let used = 0;
let hasQueue = true;
/** How far the service's clock is ahead, in milliseconds. */
let passed = 0;

const counting = (usual: Database): Database => ({
  ...usual,
  transact: async (writes, token) => {
    used += 1;
    await usual.transact(writes, token);
  },
});

const s = testEnvironment({
  database: counting,
  timeLeft: () => (used >= perRun ? 2 * SECOND : 20 * SECOND),
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

beforeEach(() => {
  perRun = Number.POSITIVE_INFINITY;
  used = 0;
  hasQueue = true;
  passed = 0;
});

const countsOf = async (as: Someone) => (await s.call("GET /game/{url_id}", { as })).body.counts;

/** Several transactions fit into a run, and several runs are needed. */
const MANY = IS_LARGE ? share(50_000) : 400;
/** A fraction of the transactions that so many players need. */
const FEW_TRANSACTIONS = Math.ceil(MANY / 200);

describe("enforcing a checkpoint", () => {
  const setUp = async () => {
    const gm = await s.admin();
    const body = { name: "Library" };
    const { checkpoint_id } = (await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body })).body;
    const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
    const humans = await makeCrowd(s, MANY, "human", Date.now() - MINUTE);
    await s.crowd(humans.map((human, n) => (n % 3 === 0 ? { ...human, ...pass } : human)));
    return gm;
  };
  const kill = (as: Someone, key?: string) =>
    s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as, key });

  it("is 202 while it continues, ends through the queue, and is logged at its end", async () => {
    const gm = await setUp();
    used = 0;
    perRun = FEW_TRANSACTIONS;
    const begun = await kill(gm, "key");
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, job_id: expect.any(String) });
    expect(begun.body.killed).toBeGreaterThan(0);
    expect(begun.body.killed).toBeLessThan(MANY / 2);
    expect(await s.queued()).toMatchObject([{ message: { kind: "sweep" } }]);
    await s.work({ hurry: true });
    const killed = MANY - Math.ceil(MANY / 3);
    expect(await countsOf(gm)).toMatchObject({ humans: MANY - killed, corpses: killed });
    perRun = Number.POSITIVE_INFINITY;
    const again = await kill(gm, "key");
    expect(again).toMatchObject({ status: 200, body: { killed, spared: MANY - killed, complete: true } });
    const query = { action: "kill_all_not_at_checkpoint" };
    const { logs } = (await s.call("GET /admin/get_logs/{url_id}", { as: gm, query })).body;
    expect(
      logs.some(
        ({ details }: { details: { killed: number; complete: boolean } }) =>
          details.complete && details.killed === killed,
      ),
    ).toBe(true);
    expect((await s.store.game()).enforcing).toBeNull();
    expect(await s.queued()).toEqual([]);
  });
});

/** Zombies by the thousand, all infected at one instant. */
const zombies = async (count: number, since: number): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", since));

const interactionsOf = async (kind: string): Promise<Interaction[]> => {
  const found: Interaction[] = [];
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000)) {
    const interaction = parseInteraction(item);
    if (interaction.kind === kind) found.push(interaction);
  }
  return found;
};

const logged = async (as: Someone, action: string) =>
  (await s.call("GET /admin/get_logs/{url_id}", { as, query: { action } })).body.logs;

describe("feeding", () => {
  const N = 150;
  let drifted: unknown = [];
  const feed = (as: Someone) => s.call("POST /admin/feed/{url_id}", { as, body: { n: N }, key: "supper" });
  const setUp = async (): Promise<Someone> => {
    const gm = await s.admin();
    await zombies(N + 20, Date.now() - HOUR);
    // Players put straight into the table lack guards and passwords; nothing else may be missing afterwards.
    drifted = await drift(s);
    used = 0;
    return gm;
  };

  it("is 202 with those fed so far while it continues, ends through the queue, and is complete on retry", async () => {
    const gm = await setUp();
    perRun = 3;
    const begun = await feed(gm);
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, job_id: expect.any(String) });
    expect(begun.body.fed).toHaveLength(begun.body.count);
    expect(begun.body.count).toBeGreaterThan(0);
    expect(begun.body.count).toBeLessThan(N);
    await s.work({ hurry: true });
    expect(await interactionsOf("feed")).toHaveLength(N);
    const [end, beginning] = await logged(gm, "feed");
    expect(end).toMatchObject({ outcome: "done", actor: gm.alias, details: { n: N, count: N } });
    expect(beginning.details).toMatchObject({ n: N, complete: false });
    const again = await feed(gm);
    expect(again).toMatchObject({ status: 200, body: { count: N } });
    expect(again.body).not.toHaveProperty("complete");
    expect(new Set(again.body.fed.map(({ alias }: { alias: string }) => alias)).size).toBe(N);
    expect(await drift(s)).toEqual(drifted);
    expect(await s.queued()).toEqual([]);
  });

  it("leaves out zombies that have starved by the time it continues", async () => {
    const gm = await setUp();
    perRun = 3;
    expect((await feed(gm)).status).toBe(202);
    const before = await interactionsOf("feed");
    perRun = Number.POSITIVE_INFINITY;
    passed = 47 * HOUR + MINUTE;
    await s.work({ hurry: true });
    expect(await interactionsOf("feed")).toEqual(before);
    expect(await s.queued()).toEqual([]);
    expect(await drift(s)).toEqual(drifted);
  });

  it("is 503 where time is short and the queue unavailable, and resumes on retry with its key", async () => {
    const gm = await setUp();
    perRun = 3;
    hasQueue = false;
    expect((await feed(gm)).status).toBe(503);
    perRun = Number.POSITIVE_INFINITY;
    expect(await feed(gm)).toMatchObject({ status: 200, body: { count: N } });
    expect(await interactionsOf("feed")).toHaveLength(N);
  });
});

describe("the deletion of a player with many items", () => {
  const NOTES = 300;
  const setUp = async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const notes = Array.from({ length: NOTES }, (_, n) => ({
      ...keys.note(ada.id, v7()),
      note: `${n}`,
    }));
    const responses = Array.from({ length: NOTES / 2 }, (_, n) => ({
      ...keys.response(ada.id, `${n}`),
      ...{ fingerprint: "", status: 200, body: "{}", expires: Math.ceil(Date.now() / SECOND) + 60 },
    }));
    await fill(s.place(), [...notes, ...responses]);
    used = 0;
    perRun = 3;
    return { gm, ada };
  };
  const itemsOf = async (id: string) => (await scan(s)).filter(({ pk }) => pk.includes(id));

  it.each([
    ["their own", "delete_player"],
    ["a game master's", "remove_player"],
  ])("is 202 while it continues, and ends through the queue: %s", async (_whose, action) => {
    const { gm, ada } = await setUp();
    const own = action === "delete_player";
    const response = own
      ? await s.call("DELETE /delete_player/{url_id}", { as: ada })
      : await s.call("POST /admin/remove_player/{url_id}", { as: gm, body: { player_id: ada.id } });
    expect(response).toMatchObject({ status: 202, body: { complete: false } });
    expect((await s.see(ada)).alias).toBe("Ada");
    expect((await itemsOf(ada.id)).length).toBeGreaterThan(NOTES / 3);
    await s.work({ hurry: true });
    expect(await itemsOf(ada.id)).toEqual([]);
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
    const [end, beginning] = await logged(gm, action);
    expect(end).toMatchObject({ outcome: "done", target: null, details: {} });
    expect(beginning.details).toMatchObject({ complete: false });
    expect(await drift(s)).toEqual([]);
    expect(await s.queued()).toEqual([]);
  });
});

describe("the sweep", () => {
  it("continues through the queue until everybody due has starved once, one run at a time", async () => {
    const gm = await s.admin();
    await zombies(MANY, Date.now() - 49 * HOUR);
    used = 0;
    perRun = FEW_TRANSACTIONS;
    const run = () => ({
      services: s.services,
      requestId: "x",
      timeLeft: () => (used >= perRun ? 2_000 : 20_000),
    });
    expect(await sweep(run())).toMatchObject({ complete: false });
    used = perRun;
    expect(await sweep(run())).toMatchObject({ starved: 0, complete: false });
    const [message, ...others] = await s.queued();
    expect(others).toEqual([]);
    // A message that is received twice continues once: the second finds another fencing token.
    const twice = { fencingToken: message?.message.fencingToken };
    for (let n = 0; n < 2; n += 1) {
      used = perRun;
      await sweep(run(), twice);
    }
    expect(await s.queued()).toHaveLength(2);
    await s.work({ hurry: true });
    expect(await countsOf(gm)).toMatchObject({ zombies: 0, corpses: MANY });
    expect(await interactionsOf("starve")).toHaveLength(MANY);
  });
});
