/**
 * Enforcing a checkpoint that was interrupted, or that meets another request for it. A death at any other call is in
 * `tests/battery/faults`.
 */
import { beforeEach, expect, it } from "vitest";
import type { Write } from "../../lib/dynamodb/database.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

/** Called before the next transaction, and before the one that ends the enforcement. */
let meanwhile: (() => Promise<unknown>) | undefined;
let atEnd: (() => Promise<unknown>) | undefined;
/** Called before a job is read. */
let beforeJob: (() => Promise<void>) | undefined;

const isEnd = (write: Write): boolean =>
  "put" in write && write.put.sk === "STATE" && write.put.enforcing === null;

const s = testEnvironment({
  database: (usual) => ({
    ...usual,
    get: async (key, options) => {
      if (key.pk.startsWith("JOB#")) await beforeJob?.();
      return usual.get(key, options);
    },
    transact: async (writes, token) => {
      const first = meanwhile;
      meanwhile = undefined;
      await first?.();
      const last = writes.some(isEnd) ? atEnd : undefined;
      if (last !== undefined) atEnd = undefined;
      await last?.();
      await usual.transact(writes, token);
    },
  }),
});
const { admin, done, read } = shortRequests(s);

/** A game with a checkpoint that nobody has passed. */
let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
  for (const alias of ["Ann", "Bob", "Cid"]) await s.join(alias);
  await done(gm, "set_checkpoint", { name: "Library" });
});
const kill = (key?: string) => admin(gm, "kill_all_not_at_checkpoint", {}, key);
const clear = () => admin(gm, "set_checkpoint", { clear: true });
const counts = async () => (await read(gm, "/game")).counts;

it("does not block the checkpoint for ever when its job has expired", async () => {
  const before = await s.store.game();
  const after = { ...before, enforcing: commandContext(s.services, Date.now()).newId() };
  await s.store.commit(await writesOf({ game: { before, after } }), () => 5_000);
  expect((await clear()).body.code).toBe("busy");
  await s.sweep();
  expect((await clear()).status).toBe(200);
});

it("returns the response of the first try to its retry, which was about to begin", async () => {
  const first: Result[] = [];
  meanwhile = async () => first.push(await kill("once"));
  const second = await kill("once");
  expect(first).toMatchObject([{ status: 200, body: { killed: 3, complete: true } }]);
  expect(second).toMatchObject({ status: 200, body: first[0]?.body });
  expect(await counts()).toMatchObject({ humans: 0, corpses: 3 });
});

it("starts again for a request that meets another that is about to end", async () => {
  const ended = Promise.withResolvers<void>();
  let second: Promise<Result> | undefined;
  atEnd = async () => {
    await done(gm, "revive_h", { alias: "Ann" });
    const met = Promise.withResolvers<void>();
    beforeJob = () => {
      met.resolve();
      return ended.promise;
    };
    second = kill();
    await met.promise;
    beforeJob = undefined;
  };
  expect(await kill()).toMatchObject({ status: 200, body: { killed: 3, complete: true } });
  ended.resolve();
  // It runs, and does not concern Ann, who was revived after the first had begun.
  expect(await second).toMatchObject({ status: 200, body: { killed: 0, complete: true } });
  expect(await counts()).toMatchObject({ humans: 1, corpses: 2 });
});
