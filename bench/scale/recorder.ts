/** Writes down every access of the store: which items of which partitions, and what of the units each was. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Consumption } from "../../lib/dynamodb/capacity.ts";
import { type Database, keyOfWrite, type StoredItem } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { runInvocation } from "../../lib/runtime/invocation.ts";
import { costsOfWrite, type EntryCost, type IndexShape } from "./sizes.ts";

/** What was read or written of one item, or of one range. */
export interface Touch {
  /** The index that was read; none for the table. */
  index: string | null;
  pk: string;
  /** None for a range. */
  sk: string | null;
  units: number;
  /** What the write costs the indexes. */
  entries: readonly EntryCost[];
}

/** One call of the database. */
export interface Access {
  kind: "read" | "write" | "transaction";
  touches: readonly Touch[];
}

/** A transaction writes each item twice. */
const TWICE = 2;

const placeOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** Units by place: those of the indexes apart. */
const sumOf = (heard: readonly Consumption[]): Record<string, number> => {
  const sum: Record<string, number> = { table: 0 };
  for (const { units, indexes } of heard) {
    sum.table = (sum.table ?? 0) + units;
    for (const [index, one] of Object.entries(indexes)) {
      sum[index] = (sum[index] ?? 0) + one;
      sum.table = (sum.table ?? 0) - one;
    }
  }
  return sum;
};

/** @throws Error unless what was worked out of each item comes to what the engine has counted */
const requireSameUnits = (touches: readonly Touch[], counted: Record<string, number>): void => {
  const worked: Record<string, number> = {};
  for (const { units, entries } of touches) {
    worked.table = (worked.table ?? 0) + units;
    for (const one of entries) worked[one.index] = (worked[one.index] ?? 0) + one.units;
  }
  for (const place of new Set([...Object.keys(worked), ...Object.keys(counted)])) {
    if ((worked[place] ?? 0) === (counted[place] ?? 0)) continue;
    const items = touches.map(({ pk, sk, units, entries }) => ({ pk, sk, units, entries }));
    throw new Error(
      `${place}: ${worked[place] ?? 0} units worked out, ${counted[place] ?? 0} counted: ${JSON.stringify(items)}`,
    );
  }
};

export interface Recorder {
  /** Stands between the store and the database; looks at what is written by another that nobody meters. */
  between: (usual: Database) => Database;
  consumed: (one: Consumption) => void;
  /** Where to look at items, and which indexes they are in: to be told before anything is recorded. */
  look: (at: { plain: Database; indexes: readonly IndexShape[] }) => void;
  /** Every access of a piece of work, in the order in which they were begun. */
  recorded: (work: () => Promise<unknown>) => Promise<Access[]>;
}

export const makeRecorder = (): Recorder => {
  const during = new AsyncLocalStorage<Consumption[]>();
  let looking: { plain: Database; indexes: readonly IndexShape[] } | undefined;
  let accesses: Promise<Access>[] | undefined;

  /** Carries a call out; what it consumed is what its own requests say, whatever runs beside it. */
  const note = <T>(
    call: () => Promise<T>,
    told: (result: T, counted: Record<string, number>) => Access,
  ): Promise<T> => {
    const heard: Consumption[] = [];
    const result = during.run(heard, call);
    const access = result.then((value) => told(value, sumOf(heard)));
    accesses?.push(access);
    // Whoever records hears of a fault.
    access.catch(() => {});
    return result;
  };

  const reading = (touches: readonly Touch[]): Access => ({ kind: "read", touches });

  const writing = async <T>(
    kind: "write" | "transaction",
    keys: readonly Key[],
    call: () => Promise<T>,
  ): Promise<T> => {
    if (looking === undefined || accesses === undefined) return call();
    const { plain, indexes } = looking;
    const images = async (): Promise<Map<string, StoredItem>> =>
      new Map((await plain.getMany(keys)).map((item) => [placeOf(item), item]));
    const before = await images();
    let after = before;
    return note(
      async () => {
        const result = await call();
        after = await images();
        return result;
      },
      (_, counted) => {
        const touches = keys.map(({ pk, sk }): Touch => {
          const [old, now] = [before, after].map((items) => items.get(placeOf({ pk, sk })));
          const { units, entries } = costsOfWrite(indexes, old, now);
          return { index: null, pk, sk, units: units * (kind === "transaction" ? TWICE : 1), entries };
        });
        requireSameUnits(touches, counted);
        return { kind, touches };
      },
    );
  };

  const touch = (key: Key, units: number): Touch => ({
    index: null,
    pk: key.pk,
    sk: key.sk,
    units,
    entries: [],
  });

  return {
    look: (at) => {
      looking = at;
    },
    consumed: (one) => during.getStore()?.push(one),
    async recorded(work) {
      accesses = [];
      const begun = accesses;
      try {
        await work();
        return await Promise.all(begun);
      } finally {
        accesses = undefined;
      }
    },
    between: (usual) => ({
      get: (key, options) =>
        note(
          // As an invocation of its own, it is read by itself, and tells its own units; together it would be as many.
          () => runInvocation(() => usual.get(key, options)),
          (_, { table = 0 }) => reading([touch(key, table)]),
        ),
      getMany: (keys, options) => {
        const unique = [...new Map(keys.map((key) => [placeOf(key), key])).values()];
        return note(
          () => usual.getMany(keys, options),
          (_, { table = 0 }) => reading(unique.map((key) => touch(key, table / unique.length))),
        );
      },
      query: (range, limit, from) =>
        note(
          () => usual.query(range, limit, from),
          (_, counted) => {
            const index = range.index ?? null;
            const units = counted[index ?? "table"] ?? 0;
            return reading([{ index, pk: range.pk, sk: null, units, entries: [] }]);
          },
        ),
      put: (item, expect) => writing("write", [item], () => usual.put(item, expect)),
      extendUntil: (key, how) => writing("write", [key], () => usual.extendUntil(key, how)),
      transact: (writes, token) =>
        writing("transaction", writes.map(keyOfWrite), () => usual.transact(writes, token)),
      execute: () => Promise.reject(new Error("statements are not recorded")),
    }),
  };
};
