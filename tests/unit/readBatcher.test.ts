/** Reads that are asked for at the same instant are one, and each is told of its own. */
import { describe, expect, it } from "vitest";
import { readBatcher } from "../../lib/dynamodb/readBatcher.ts";
import { runInvocation } from "../../lib/runtime/invocation.ts";

/** A reader of numbers, who says which were asked for together. */
const reader = (became: (key: number) => string | Error = (key) => `number ${key}`) => {
  const asked: number[][] = [];
  const read = readBatcher(async (keys: readonly number[]) => {
    asked.push([...keys]);
    if (keys.includes(0)) throw new Error("nobody answers");
    await Promise.resolve();
    return became;
  });
  return { asked, read };
};

describe("reads", () => {
  it("that are asked for at once are one call, also when some wait for a promise that is kept", async () => {
    const { asked, read } = reader();
    const late = async () => {
      for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
      return read(3);
    };
    expect(await Promise.all([read(1), read(2), late()])).toEqual(["number 1", "number 2", "number 3"]);
    expect(asked).toEqual([[1, 2, 3]]);
  });

  it("are one call wherever they are asked for: in a timer's turn too", async () => {
    const { asked, read } = reader();
    await new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        const kept = Promise.resolve().then(() => read(2));
        Promise.all([read(1), kept]).then(() => resolve(), reject);
      });
    });
    expect(asked).toEqual([[1, 2]]);
  });

  it("that are asked for later are another", async () => {
    const { asked, read } = reader();
    await read(1);
    const second = read(2);
    await new Promise(setImmediate);
    await Promise.all([second, read(3)]);
    expect(asked).toEqual([[1], [2], [3]]);
  });

  it("are each told of their own fault, and of one that befell all of them", async () => {
    const { read } = reader((key) => (key === 2 ? new Error("two is away") : `number ${key}`));
    const some = await Promise.allSettled([read(1), read(2), read(3)]);
    expect(some.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    await expect(Promise.all([read(1), read(0)])).rejects.toThrow("nobody answers");
    const all = await Promise.allSettled([read(1), read(0)]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await read(4)).toBe("number 4");
  });

  it("of two invocations at the same instant are never one", async () => {
    const { asked, read } = reader();
    await Promise.all([
      runInvocation(() => Promise.all([read(1), read(2)])),
      runInvocation(() => Promise.all([read(3), read(4)])),
      read(5),
    ]);
    expect(asked).toEqual([[1, 2], [3, 4], [5]]);
  });
});
