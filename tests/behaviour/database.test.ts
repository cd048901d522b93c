/** The database interface, call by call, on whichever engine the tests run. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database, Expectation, Item, Range, StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { listen } from "../support/listen.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();
const db = (): Database => s.store.db;

const item = (pk: string, sk: string, more: Item = {}): StoredItem => ({ pk, sk, ...more });
const series = (count: number, pk: string, more: (n: number) => Item = () => ({})): StoredItem[] =>
  Array.from({ length: count }, (_, n) => item(pk, String(n).padStart(3, "0"), more(n)));
const transact = (writes: readonly Write[], token: string = randomUUID()) => db().transact(writes, token);
const putAll = async (items: readonly StoredItem[]): Promise<void> => {
  for (const some of chunk(items, 100)) await transact(some.map((put) => ({ put })));
};
const everything = async (pk: string): Promise<StoredItem[]> => (await db().query({ pk }, 1_000)).items;

const there = item("A", "1", { rev: 3, name: "Ada", expires: 100 });
const CASES: [what: string, expectation: Expectation, holds: boolean, holdsIfAbsent: boolean][] = [
  ["absence", "absent", false, true],
  ["the rev that was read", { rev: 3 }, true, false],
  ["the fields that were read", { is: { name: "Ada", rev: 3 } }, true, false],
  ["another value of one field", { is: { name: "Ada", rev: 4 } }, false, false],
  ["an absent field to be absent", { is: { nothing: undefined } }, true, true],
  ["a present field to be absent", { is: { name: undefined } }, false, true],
  ["absence or a past expiry", { absentOrExpiredBy: 100 }, true, true],
  ["absence or a later expiry", { absentOrExpiredBy: 99 }, false, true],
];

it.each(CASES)("a write that expects %s succeeds or is stale", async (_, expectation, ofItem, ofNone) => {
  const key = { pk: "A", sk: "1" };
  const put = item("A", "1", { changed: true });
  const writes: (() => Promise<void>)[] = [
    () => db().put(put, expectation),
    () => transact([{ put, expect: expectation }]),
    () => transact([{ remove: key, expect: expectation }]),
    () => transact([{ check: key, expect: expectation }]),
    () => transact([{ increase: key, by: { kills: 2 }, expect: expectation }]),
  ];
  for (const [before, holds] of [
    [there, ofItem],
    [undefined, ofNone],
  ] as const)
    for (const write of writes) {
      await transact([before === undefined ? { remove: key } : { put: before }]);
      if (holds) await write();
      else await expect(write()).rejects.toBeInstanceOf(ConditionFailed);
      if (!holds) expect(await db().get(key)).toEqual(before);
    }
});

it("a server that breaks the connection or does not respond counts as a busy database after three attempts", async () => {
  let attempts = 0;
  const server = createServer((request, response) => {
    attempts += 1;
    if (String(request.headers["x-amz-target"]).endsWith("GetItem")) response.destroy();
  });
  const open = openDatabase({ table: "game", endpoint: `http://127.0.0.1:${await listen(server)}` });
  // The two reads are batched into one request.
  const calls = [open.get(item("A", "1")), open.get(item("A", "2")), open.put(item("A", "1"))];
  for (const call of calls) await expect(call).rejects.toBeInstanceOf(DatabaseBusy);
  expect(attempts).toBe(2 * 3);
  server.close().closeAllConnections();
});

it("a transaction changes nothing when it is sent again with its token", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const writes: Write[] = [{ increase: { pk: "C", sk: "1" }, by: { humans: 1, zombies: -2 } }];
  for (const token of [first, first, second, first]) await transact(writes, token);
  expect(await everything("C")).toEqual([item("C", "1", { humans: 2, zombies: -4 })]);
});

describe("reading", () => {
  it("many items takes any number of keys, returns each item once, and only the requested attributes", async () => {
    await putAll(series(130, "M", (n) => ({ state: "human", at: n, alias: "Ada", secret: "no" })));
    const wanted = [...series(260, "M"), ...series(20, "M")];
    const found = await db().getMany(wanted, { only: ["state", "at", "target"] });
    expect(found.toSorted((one, other) => (one.sk < other.sk ? -1 : 1))).toEqual(
      series(130, "M", (n) => ({ state: "human", at: n })),
    );
  });

  it("an item of a throttled partition fails, and no other", async () => {
    await putAll([item("COLD", "a"), item("HOT", "a"), item("COLD", "b")]);
    const isHot = (key: unknown): boolean => JSON.stringify(key).includes("HOT");
    const { table } = s.place();
    const open = openDatabase({
      ...s.place(),
      configureClient: ({ middlewareStack }) =>
        middlewareStack.add(
          (next) => async (args) => {
            const wanted: unknown[] = Reflect.get(args.input, "RequestItems")[table].Keys;
            const Keys = wanted.filter(isHot);
            // DynamoDB throws when it can read none of the items.
            const name = "ProvisionedThroughputExceededException";
            if (Keys.length === wanted.length) throw Object.assign(new Error("too much"), { name });
            const result = await next(args);
            const found: unknown[] = Reflect.get(result.output, "Responses")[table];
            const Responses = { [table]: found.filter((one) => !isHot(one)) };
            const UnprocessedKeys = Keys.length === 0 ? {} : { [table]: { Keys } };
            Object.assign(result.output, { Responses, UnprocessedKeys });
            return result;
          },
          { step: "initialize" },
        ),
    });
    const keys = [item("COLD", "a"), item("HOT", "a"), item("COLD", "b"), item("COLD", "c")];
    const [one, hot, ...others] = await Promise.allSettled(keys.map((key) => open.get(key)));
    const found = [one, ...others].map((result) => result?.status === "fulfilled" && result.value?.sk);
    expect(found).toEqual(["a", "b", undefined]);
    expect(hot).toMatchObject({ status: "rejected", reason: expect.any(DatabaseBusy) });
    await expect(open.getMany([item("COLD", "a"), item("HOT", "a")])).rejects.toThrow(DatabaseBusy);
  });

  const sortKeys = async (range: Omit<Range, "pk">, limit = 100) =>
    (await db().query({ pk: "R", ...range }, limit)).items.map(({ sk }) => sk);

  it("a range respects its bounds, in the order of bytes", async () => {
    const inOrder = ["B", "a", "a#", "a~", "é", "ﬀ", "\uffff", "😀"];
    await putAll([...inOrder.map((sk) => item("R", sk)), item("S", "a")]);
    expect(await sortKeys({})).toEqual(inOrder);
    expect(await sortKeys({ descending: true, consistent: true })).toEqual(inOrder.toReversed());
    expect(await sortKeys({ after: "a" })).toEqual(inOrder.slice(2));
    expect(await sortKeys({ before: "é" })).toEqual(inOrder.slice(0, 4));
    // With both, the bounds are inclusive: the caller removes them.
    expect(await sortKeys({ after: "a", before: "é" })).toEqual(inOrder.slice(1, 5));
    expect(await sortKeys({ after: "z", before: "z" })).toEqual([]);
  });

  it("a range page by page is complete, and an index has only the attributes that its lists show", async () => {
    await putAll(series(12, "R", (n) => ({ gsi2pk: "X", gsi2sk: `${n % 5}#${n}`, alias: "a", kills: n })));
    const range = { pk: "X", index: "gsi2" as const, after: "1", before: "3~", descending: true };
    const whole = (await db().query(range, 100)).items;
    const first = await db().query(range, 4);
    const second = await db().query(range, 4, first.next);
    expect([...first.items, ...second.items]).toEqual(whole);
    expect([first.items.length, whole.length, second.next]).toEqual([4, 7, undefined]);
    expect(whole[0]).toHaveProperty("alias");
    expect(whole[0]).not.toHaveProperty("kills");
  });
});

it("an item is read as it was written, without undefined values on any level", async () => {
  const name = "a name.with # and : in it";
  const values = {
    empty: { text: "", list: [], map: {}, nothing: null, no: false },
    numbers: [0, -1, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1e-100],
    text: 'quotes " and \\ and \u0000 and 😀',
    [name]: [[[{ deep: [1] }]]],
  };
  const whole = item("I", "a\u0000b", values);
  // The second database uses the SDK's own transport.
  for (const one of [db(), openDatabase(s.place())])
    await one.put({ ...whole, a: undefined, empty: { ...values.empty, b: undefined } });
  expect(await db().get(whole)).toEqual(whole);
  expect(await everything("I")).toEqual([whole]);
  const named = item("I", "a\u0000b", { [name]: values[name] });
  expect(await db().getMany([whole], { only: [name] })).toEqual([named]);
});

it.each([false, true])("an instant is extended up to its maximum (guessed ahead: %s)", async (isAhead) => {
  const key = { pk: "P", sk: "1" };
  const extend = (from: number, by = 10) =>
    db().extendUntil(key, { by, from, atMost: 130, expires: 5, isAhead });
  expect([await extend(100), await extend(100)]).toEqual([true, true]);
  expect(await db().get(key)).toEqual({ ...key, full_at: 120, expires: 5 });
  expect([await extend(100, 11), await extend(100), await extend(100, 1)]).toEqual([false, true, false]);
  expect(await extend(135, 1)).toBe(true);
  expect(await db().get(key)).toEqual({ ...key, full_at: 136, expires: 5 });
});

it("a statement keeps every digit of a number", async () => {
  const digits = "12345678901234567890123456789012345678";
  const run = (words: (table: string) => string) =>
    db().execute({ text: (table) => words(`"${table}"`), parameters: [] });
  await run((table) => `INSERT INTO ${table} VALUE {'pk': 'Q', 'sk': '0', 'n': ${digits}}`);
  expect((await run((table) => `SELECT n FROM ${table} WHERE pk = 'Q'`)).items).toEqual([{ n: digits }]);
});
