/** Reads of one tick are sent as one batch. */
import { expect, it } from "vitest";
import { readBatcher } from "../../lib/dynamodb/readBatcher.ts";
import { runInvocation } from "../../lib/runtime/invocation.ts";

/** A batcher of reads by number, which fail for 0, and the batches that were sent. */
const batcher = (resultOf: (key: number) => string | Error = (key) => `number ${key}`) => {
  const batches: number[][] = [];
  const read = readBatcher(async (keys: readonly number[]) => {
    batches.push([...keys]);
    if (keys.includes(0)) throw new Error("the batch failed");
    await Promise.resolve();
    return resultOf;
  });
  return { batches, read };
};

const statusesOf = async (reads: Promise<string>[]) =>
  (await Promise.allSettled(reads)).map(({ status }) => status);

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

it("fails only the reads that failed, or all when the batch failed", async () => {
  const { read } = batcher((key) => (key === 2 ? new Error("two failed") : `number ${key}`));
  expect(await statusesOf([read(1), read(2), read(3)])).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await expect(Promise.all([read(1), read(0)])).rejects.toThrow("the batch failed");
  expect(await statusesOf([read(1), read(0)])).toEqual(["rejected", "rejected"]);
  expect(await read(4)).toBe("number 4");
});

it("never batches the reads of two invocations", async () => {
  const { batches, read } = batcher();
  const readBoth = (...keys: number[]) => runInvocation(() => Promise.all(keys.map(read)));
  await Promise.all([readBoth(1, 2), readBoth(3, 4), read(5)]);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});
