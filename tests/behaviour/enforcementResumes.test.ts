/**
 * Enforcing a checkpoint that was interrupted, or that meets another request for it. A death at any other call is in
 * `tests/battery/faults`.
 */
import { expect, it } from "vitest";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { Database, Write } from "../../lib/dynamodb/database.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

let transactionsLeft = Number.POSITIVE_INFINITY;
let ahead = 0;
/** Called before the next transaction, and before the one that ends the enforcement. */
let meanwhile: (() => Promise<unknown>) | undefined;
let atEnd: (() => Promise<unknown>) | undefined;
/** Called before a job is read. */
let beforeJob: (() => Promise<void>) | undefined;

const isEnd = (write: Write): boolean =>
  "put" in write && write.put.sk === "STATE" && write.put.enforcing === null;

const failing = (usual: Database): Database => ({
  ...usual,
  get: async (key, options) => {
    if (key.pk.startsWith("JOB#")) await beforeJob?.();
    return usual.get(key, options);
  },
  transact: async (writes, token) => {
    const first = meanwhile;
    meanwhile = undefined;
    await first?.();
    if (atEnd !== undefined && writes.some(isEnd)) {
      const last = atEnd;
      atEnd = undefined;
      await last();
    }
    transactionsLeft -= 1;
    if (transactionsLeft < 0) throw new Error("the process was killed here");
    await usual.transact(writes, token);
  },
});

const s = testEnvironment({ database: failing, services: () => ({ clock: () => Date.now() + ahead }) });

/** A game with a checkpoint and this many humans, every fourth of whom has passed it when `some` have. */
const playersAt = async (count: number, some = false): Promise<{ gm: Someone; ids: string[] }> => {
  [transactionsLeft, ahead] = [Number.POSITIVE_INFINITY, 0];
  const gm = await s.admin();
  const body = { name: "Library" };
  const { checkpoint_id } = (await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body })).body;
  const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
  const humans = await makeCrowd(s, count, "human", Date.now() - MINUTE);
  const players = humans.map((human, n) => ({ ...human, ...(some && n % 4 === 0 ? pass : {}) }));
  await s.crowd(players);
  return { gm, ids: players.map(({ player_id }) => player_id) };
};

const enforce = (as: Someone, key?: string): Promise<Result> =>
  s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as, key });
const clear = (as: Someone): Promise<Result> =>
  s.call("POST /admin/set_checkpoint/{url_id}", { as, body: { clear: true } });
const counts = async (as: Someone) => (await s.call("GET /game/{url_id}", { as })).body.counts;

it("does not block the checkpoint for ever when its job has expired", async () => {
  const { gm } = await playersAt(3);
  const before = await s.store.game();
  const after = { ...before, enforcing: commandContext(s.services, Date.now()).newId() };
  await s.store.commit(await writesOf({ game: { before, after } }), () => 5_000);
  expect((await clear(gm)).body.code).toBe("busy");
  await s.sweep();
  expect((await clear(gm)).status).toBe(200);
});

it("returns the response of the first try to its retry, which was about to begin", async () => {
  const { gm } = await playersAt(3);
  const kill = () => enforce(gm, "everybody-but-those");
  const first: Result[] = [];
  meanwhile = async () => first.push(await kill());
  const second = await kill();
  expect(first).toMatchObject([{ status: 200, body: { killed: 3, complete: true } }]);
  expect(second).toMatchObject({ status: 200, body: first[0]?.body });
  expect(await counts(gm)).toMatchObject({ humans: 0, corpses: 3 });
});

it("starts again for a request that meets another that is about to end", async () => {
  const { gm } = await playersAt(3);
  await s.join("Ada");
  const kill = () => enforce(gm);
  const ended = Promise.withResolvers<void>();
  let second: Promise<Result> | undefined;
  atEnd = async () => {
    const body = { alias: "Ada" };
    expect((await s.call("POST /admin/revive_h/{url_id}", { as: gm, body })).status).toBe(200);
    const met = Promise.withResolvers<void>();
    beforeJob = () => {
      met.resolve();
      return ended.promise;
    };
    second = kill();
    await met.promise;
    beforeJob = undefined;
  };
  expect(await kill()).toMatchObject({ status: 200, body: { killed: 4, complete: true } });
  ended.resolve();
  // It runs, and does not concern Ada, who was revived after the first had begun.
  expect(await second).toMatchObject({ status: 200, body: { killed: 0, complete: true } });
  expect(await counts(gm)).toMatchObject({ humans: 1, corpses: 3 });
});
