/** Reads of one tick are sent as one batch. */
import { expect, it } from "vitest";
import { readBatcher } from "../../lib/dynamodb/readBatcher.ts";
import { runInvocation } from "../../lib/runtime/invocation.ts";

/** A batcher of reads by number, and the batches that were sent. Reads that fail are in tests/behaviour/database.test.ts. */
const batcher = () => {
  const batches: number[][] = [];
  const read = readBatcher(async (keys: readonly number[]) => {
    batches.push([...keys]);
    return (key) => `number ${key}`;
  });
  return { batches, read };
};

it("batches the reads of one tick, also after several microtasks, and those of later ticks separately", async () => {
  const { batches, read } = batcher();
  const late = async () => {
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
    return read(3);
  };
  expect(await Promise.all([read(1), read(2), late()])).toEqual(["number 1", "number 2", "number 3"]);
  await new Promise(setImmediate);
  await Promise.all([read(4), Promise.resolve().then(() => read(5))]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

it("never batches the reads of two invocations", async () => {
  const { batches, read } = batcher();
  const readBoth = (...keys: number[]) => runInvocation(() => Promise.all(keys.map(read)));
  await Promise.all([readBoth(1, 2), readBoth(3, 4), read(5)]);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});
