/** The database interface, call by call, on whichever engine the tests run. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database, Expectation, Item, Range, StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
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

/** Expects that the database rejects a call: neither for a failed condition nor for one worth retrying. */
const rejectionOf = async (work: Promise<unknown>): Promise<void> => {
  const fault: unknown = await work.then(
    () => "it was taken",
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(Error);
  for (const other of [ConditionFailed, DatabaseBusy]) expect(fault).not.toBeInstanceOf(other);
};

describe("a write that expects something", () => {
  const there = item("A", "1", { rev: 3, name: "Ada", expires: 100 });
  const CASES: [what: string, expectation: Expectation, holds: boolean, holdsOfNone: boolean][] = [
    ["absence", "absent", false, true],
    ["the rev that was read", { rev: 3 }, true, false],
    ["another rev", { rev: 2 }, false, false],
    ["fields that are so", { is: { name: "Ada", rev: 3 } }, true, false],
    ["fields of which one is not so", { is: { name: "Ada", rev: 4 } }, false, false],
    ["a field that is not there", { is: { nothing: undefined } }, true, true],
    ["a field not to be there that is", { is: { name: undefined } }, false, true],
    ["expiry that has come", { absentOrExpiredBy: 100 }, true, true],
    ["expiry that has not come", { absentOrExpiredBy: 99 }, false, true],
  ];

  it.each(CASES)("(%s) holds or is stale", async (_, expectation, ofItem, ofNone) => {
    const key = { pk: "A", sk: "1" };
    const WRITES: Write[] = [
      { put: item("A", "1", { changed: true }), expect: expectation },
      { remove: key, expect: expectation },
      { check: key, expect: expectation },
      { increase: key, by: { kills: 2 }, expect: expectation },
    ];
    const alone = () => db().put(item("A", "1", { changed: true }), expectation);
    for (const [exists, holds] of [
      [true, ofItem],
      [false, ofNone],
    ] as const) {
      const beside = item("B", String(exists));
      for (const write of [...WRITES.map((one) => () => transact([{ put: beside }, one])), alone]) {
        await transact([{ remove: beside }, exists ? { put: there } : { remove: key }]);
        if (holds) await write();
        else await expect(write()).rejects.toBeInstanceOf(ConditionFailed);
        if (write !== alone) expect(await db().get(beside)).toEqual(holds ? beside : undefined);
        if (!holds) expect(await db().get(key)).toEqual(exists ? there : undefined);
      }
    }
  });
});

describe("a transaction", () => {
  it.each([
    ["a hundred and one writes", series(101, "T").map((put) => ({ put }))],
    ["more than 4 MB", series(12, "T", () => ({ text: "x".repeat(390_000) })).map((put) => ({ put }))],
    ["one item twice", [{ put: item("T", "1") }, { remove: item("T", "1") }]],
  ])("of %s is rejected", async (_, writes) => {
    await expect(transact(writes)).rejects.toThrow();
    expect(await everything("T")).toEqual([]);
  });

  it("changes nothing when it is sent again with its token", async () => {
    const token = randomUUID();
    const writes: Write[] = [{ increase: { pk: "C", sk: "1" }, by: { humans: 1, zombies: -2 } }];
    await transact(writes, token);
    await transact(writes, token);
    expect(await everything("C")).toEqual([item("C", "1", { humans: 1, zombies: -2 })]);
    await rejectionOf(transact([{ increase: { pk: "C", sk: "1" }, by: { humans: 5 } }], token));
    await transact(writes);
    expect(await everything("C")).toEqual([item("C", "1", { humans: 2, zombies: -4 })]);
  });
});

const THROTTLED = "ProvisionedThroughputExceededException";

describe("reading", () => {
  it("many items takes any number of keys, each once, and returns the requested attributes alone", async () => {
    await putAll(series(130, "M", (n) => ({ state: "human", at: n, alias: "Ada", secret: "no" })));
    const wanted = [...series(260, "M"), ...series(20, "M")];
    const found = await db().getMany(wanted, { only: ["state", "at", "target"] });
    expect(found.toSorted((one, other) => (one.sk < other.sk ? -1 : 1))).toEqual(
      series(130, "M", (n) => ({ state: "human", at: n })),
    );
    // Single reads of one tick are sent together, existing or not, at either consistency.
    const single = await Promise.all(wanted.map((key, n) => db().get(key, { consistent: n % 2 === 0 })));
    expect(single.map((one) => one?.at)).toEqual(
      wanted.map(({ sk }) => (Number(sk) < 130 ? Number(sk) : undefined)),
    );
  });

  it("an item of a throttled partition fails, and no other", async () => {
    await putAll([item("COLD", "a"), item("HOT", "a"), item("COLD", "b")]);
    const isHot = (key: unknown): boolean => JSON.stringify(key).includes("HOT");
    const open = openDatabase({
      ...s.place(),
      configureClient: (client) =>
        client.middlewareStack.add(
          (next) => async (args) => {
            const wanted = Reflect.get(args.input, "RequestItems")?.[s.place().table]?.Keys ?? [];
            const Keys = wanted.filter((key: unknown) => !isHot(key));
            const UnprocessedKeys = { [s.place().table]: { Keys: wanted.filter(isHot) } };
            // When it can read nothing, DynamoDB throws.
            if (Keys.length === 0) throw Object.assign(new Error("too much"), { name: THROTTLED });
            const asked = { ...args.input, RequestItems: { [s.place().table]: { Keys } } };
            const { response, output } = await next({ ...args, input: asked });
            return { response, output: Object.assign(output, { UnprocessedKeys }) };
          },
          { step: "initialize" },
        ),
    });
    const keys = [item("COLD", "a"), item("HOT", "a"), item("COLD", "b"), item("COLD", "c")];
    const [one, hot, other, none] = await Promise.allSettled(keys.map((key) => open.get(key)));
    const read = [one, other, none].map((result) => result?.status === "fulfilled" && result.value?.sk);
    expect(read).toEqual(["a", "b", undefined]);
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
    expect(await sortKeys({ after: "a", before: "a" })).toEqual(["a"]);
    expect(await sortKeys({ after: "z", before: "z" })).toEqual([]);
    await rejectionOf(sortKeys({ after: "b", before: "a" }));
  });

  it("a range page by page is complete, and an index carries what its lists show, and no more", async () => {
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

describe("an item", () => {
  it("is read as it was written", async () => {
    const values = {
      empty: { text: "", list: [], map: {}, nothing: null, no: false },
      numbers: [0, -1, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1e-100],
      text: 'quotes " and \\ and \u0000 and 😀',
      "a name.with # and : in it": [[[{ deep: [1] }]]],
    };
    const whole = item("I", "a\u0000b", values);
    await db().put(whole);
    expect(await db().get(whole)).toEqual(whole);
    expect(await db().getMany([whole], { only: ["a name.with # and : in it"] })).toEqual([
      item("I", "a\u0000b", { "a name.with # and : in it": [[[{ deep: [1] }]]] }),
    ]);
  });

  it.each<[string, StoredItem]>([
    ["an empty key", item("I", "")],
    ["a number as the key of an index", item("I", "1", { gsi1pk: "ROSTER#0", gsi1sk: 1 })],
    ["400 KB and more", item("I", "1", { text: "x".repeat(400 * 1_024) })],
  ])("with %s is rejected", async (_, rejected) => {
    await rejectionOf(db().put(rejected));
  });

  it("is written without undefined values on any level, also by the SDK's own transport", async () => {
    const { endpoint, table } = s.place();
    for (const one of [db(), openDatabase({ endpoint, table })]) {
      await one.put(item("A", "1", { a: undefined, list: [{ b: undefined, c: 1 }], map: { d: undefined } }));
      expect(await everything("A")).toEqual([item("A", "1", { list: [{ c: 1 }], map: {} })]);
    }
  });
});

describe("an instant that is extended", () => {
  const key = { pk: "P", sk: "1" };
  const put = (from: number, isAhead: boolean, by = 10) =>
    db().extendUntil(key, { by, from, atMost: 130, expires: 5, isAhead });

  it.each([false, true])("is extended up to its maximum (guessed ahead: %s)", async (isAhead) => {
    expect(await put(100, isAhead)).toBe(true);
    expect(await put(100, isAhead)).toBe(true);
    expect(await db().get(key)).toEqual({ ...key, full_at: 120, expires: 5 });
    expect(await put(100, isAhead, 11)).toBe(false);
    expect(await put(100, isAhead)).toBe(true);
    expect(await put(100, isAhead, 1)).toBe(false);
    expect(await put(135, isAhead, 1)).toBe(true);
    expect(await db().get(key)).toEqual({ ...key, full_at: 136, expires: 5 });
  });
});

describe("a statement", () => {
  const run = (text: string, parameters: unknown[], options?: { limit?: number; from?: string }) =>
    db().execute({ text: (table) => text.replace('"game"', `"${table}"`), parameters }, options);

  it("reads page by page, and keeps every digit of a number", async () => {
    const digits = "12345678901234567890123456789012345678";
    await run(`INSERT INTO "game" VALUE {'pk': ?, 'sk': ?, 'n': ${digits}}`, ["Q", "000"]);
    await putAll(series(5, "Q", (n) => ({ n })).slice(1));
    const select = 'SELECT "sk", "n" FROM "game" WHERE "pk" = ?';
    const found: Item[] = [];
    let from: string | undefined;
    do {
      const page = await run(select, ["Q"], { limit: 2, ...(from === undefined ? {} : { from }) });
      found.push(...page.items);
      from = page.next;
    } while (from !== undefined);
    expect(found.map(({ n }) => n)).toEqual([digits, 1, 2, 3, 4]);
  });
});
