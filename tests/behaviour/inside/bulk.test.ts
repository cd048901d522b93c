/** Bulk work whose time is too short goes on by the queue, from where it stopped, to its end. */
import { beforeEach, describe, expect, it } from "vitest";
import { newSpectator, type Player } from "../../../lib/domain/player.ts";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../../lib/domain/transitions.ts";
import { momentOf } from "../../../lib/http/services.ts";
import { sweep } from "../../../lib/http/sweep.ts";
import type { Database } from "../../../lib/store/database.ts";
import { QUICK, type Someone, stage } from "../../support/service.ts";

/** So many transactions fit into a run; then its time is up. */
let perRun = Number.POSITIVE_INFINITY;
let used = 0;
let hasQueue = true;

const counting = (usual: Database): Database => ({
  ...usual,
  transact: async (writes, token) => {
    used += 1;
    await usual.transact(writes, token);
  },
});

const s = stage({
  database: counting,
  timeLeft: () => (used >= perRun ? 2 * SECOND : 20 * SECOND),
  services: (usual) => ({
    queue: {
      async send(messages) {
        if (!hasQueue) throw new Error("the queue is away");
        await usual.queue.send(messages);
        // What is put there is another run's.
        used = 0;
      },
    },
  }),
});

beforeEach(() => {
  perRun = Number.POSITIVE_INFINITY;
  used = 0;
  hasQueue = true;
});

const crowdOf = async (count: number, make: (player: Player, n: number) => Player): Promise<void> => {
  const created = rfc3339(Date.now() - MINUTE);
  const players = Array.from({ length: count }, (_, n) =>
    make(newSpectator(crypto.randomUUID(), 0, { alias: `Player ${n} x` }, created), n),
  );
  await s.crowd(players);
};

const countsOf = async (as: Someone) => (await s.call("GET /game/{url_id}", { as })).body.counts;

const MANY = 6_000;

// Thousands of players: they wait for the whole run.
describe.skipIf(QUICK)("enforcing a checkpoint", () => {
  const scene = async () => {
    const gm = await s.admin();
    const moment = momentOf(s.services, Date.now() - MINUTE);
    const set = await s.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Library" } });
    const pass = { checkpoint_id: set.body.checkpoint_id, passed_at: rfc3339(Date.now()) };
    await crowdOf(MANY, (player, n) => ({ ...asHuman(player, moment), ...(n % 3 === 0 ? pass : {}) }));
    return gm;
  };
  const kill = (as: Someone, key?: string) =>
    s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as, ...(key === undefined ? {} : { key }) });

  it("is 202 while it goes on, ends by the queue, and the log shows the end", async () => {
    const gm = await scene();
    used = 0;
    perRun = 12;
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

  it("waits for the minute's sweep where the queue is away", async () => {
    const gm = await scene();
    used = 0;
    perRun = 12;
    hasQueue = false;
    expect((await kill(gm)).status).toBe(202);
    perRun = Number.POSITIVE_INFINITY;
    hasQueue = true;
    expect(await s.sweep()).toMatchObject({ complete: true });
    expect((await countsOf(gm)).humans).toBe(Math.ceil(MANY / 3));
  });
});

describe.skipIf(QUICK)("the sweep", () => {
  it("goes on by the queue until all who are due are dead, each once, with one run at a time", async () => {
    const gm = await s.admin();
    const moment = momentOf(s.services, Date.now() - 49 * HOUR);
    const game = await s.store.game();
    await crowdOf(MANY, (player) =>
      asZombie(player, game, moment, { id: moment.newId(), at: rfc3339(moment.now), by: null }),
    );
    used = 0;
    perRun = 10;
    const run = () => ({
      services: s.services,
      requestId: "x",
      timeLeft: () => (used >= perRun ? 2_000 : 20_000),
    });
    expect(await sweep(run())).toMatchObject({ complete: false });
    used = perRun;
    expect(await sweep(run())).toMatchObject({ starved: 0, complete: false });
    expect(await s.queued()).toHaveLength(1);
    await s.work({ hurry: true });
    expect(await countsOf(gm)).toMatchObject({ zombies: 0, corpses: MANY });
    const told = await s.store.interactionEntries(1_000);
    let deaths = 0;
    for await (const { item } of told) if (item.kind === "starve") deaths += 1;
    expect(deaths).toBe(MANY);
  });
});
