/**
 * Reads of one tick are sent as one batch. Reads that fail are in tests/behaviour/database.test.ts, those of concurrent
 * invocations in tests/behaviour/observability.test.ts.
 */
import { expect, it } from "vitest";
import { readBatcher } from "../../lib/dynamodb/readBatcher.ts";

it("batches the reads of one tick, also after several microtasks, and those of later ticks separately", async () => {
  const batches: number[][] = [];
  const read = readBatcher(async (keys: readonly number[]) => {
    batches.push([...keys]);
    return (key) => `number ${key}`;
  });
  const late = async () => {
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
    return read(3);
  };
  expect(await Promise.all([read(1), read(2), late()])).toEqual(["number 1", "number 2", "number 3"]);
  await new Promise(setImmediate);
  await Promise.all([read(4), Promise.resolve().then(() => read(5))]);
  expect(batches.map(String)).toEqual(["1,2,3", "4,5"]);
});
