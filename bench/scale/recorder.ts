/** Records the calls of the store to the database: their items and ranges, and the units that each consumed. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Consumption } from "../../lib/dynamodb/capacity.ts";
import { type Database, keyOfWrite, type ReadOptions } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { runInvocation } from "../../lib/runtime/invocation.ts";
import { keys } from "../../lib/store/keys.ts";
import { type IndexShape, type Part, partsOfWrite } from "./sizes.ts";

/** An item or a range of a call. Its parts are the item or range itself and, for a write, the index entries. */
export interface Touch {
  parts: readonly Part[];
  /** Undefined for a range. */
  sk?: string;
  /** Whether it was read for display, which a process does once a second. */
  isShownGame?: boolean;
}

export interface Call {
  kind: "read" | "write" | "transaction";
  touches: readonly Touch[];
}

type Units = Record<string, number>;

const add = (sums: Units, place: string, units: number): void => {
  sums[place] = (sums[place] ?? 0) + units;
};

/** Returns the consumed units by table and index; the engine includes those of the indexes in those of the table. */
const unitsByPlace = (consumed: readonly Consumption[]): Units => {
  const sums: Units = { table: 0 };
  for (const { units, indexes } of consumed) {
    add(sums, "table", units);
    for (const [index, own] of Object.entries(indexes)) {
      add(sums, index, own);
      add(sums, "table", -own);
    }
  }
  return sums;
};

/** @throws Error unless the sum of the units computed for each item equals the units that the engine counted */
const requireSameUnits = (touches: readonly Touch[], counted: Units): void => {
  const computed: Units = {};
  for (const { place, units } of touches.flatMap(({ parts }) => parts)) add(computed, place, units);
  for (const place of Object.keys({ ...computed, ...counted })) {
    if ((computed[place] ?? 0) === (counted[place] ?? 0)) continue;
    const units = `${computed[place] ?? 0} units computed, ${counted[place] ?? 0} counted`;
    throw new Error(`${place}: ${units}: ${JSON.stringify(touches)}`);
  }
};

const idOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const readOf = ({ pk, sk }: Key, units: number): Touch => ({ parts: [{ place: "table", pk, units }], sk });

/** Whether a read is that of the game item for display: commands read it consistently. */
const isShownGame = (key: Key, options: ReadOptions | undefined): boolean =>
  idOf(key) === idOf(keys.game) && options?.consistent === false;

export interface Recorder {
  /** Wraps the database of the store. */
  between: (usual: Database) => Database;
  consumed: (one: Consumption) => void;
  /** Runs work. @returns its calls, in the order of their start */
  record: (work: () => Promise<unknown>) => Promise<Call[]>;
}

export const makeRecorder = (indexes: readonly IndexShape[]): Recorder => {
  const current = new AsyncLocalStorage<Consumption[]>();
  let calls: Promise<Call>[] | undefined;

  /** Runs one call of the database; concurrent calls count their own consumption. */
  const recordCall = <T>(run: () => Promise<T>, callOf: (counted: Units) => Call): Promise<T> => {
    const consumed: Consumption[] = [];
    const result = current.run(consumed, run);
    const call = result.then(() => callOf(unitsByPlace(consumed)));
    // `record` awaits the promise and reports its error.
    call.catch(() => {});
    calls?.push(call);
    return result;
  };

  const recordRead = <T>(run: () => Promise<T>, touchesOf: (counted: Units) => Touch[]): Promise<T> =>
    recordCall(run, (counted) => ({ kind: "read", touches: touchesOf(counted) }));

  const between = (usual: Database): Database => {
    const write = async <T>(
      kind: Call["kind"],
      written: readonly Key[],
      run: () => Promise<T>,
    ): Promise<T> => {
      if (calls === undefined) return run();
      // In a separate invocation, these reads are not batched with those of the work, and their units are not counted.
      const itemsNow = async () => {
        const items = await current.run([], () => runInvocation(() => usual.getMany(written)));
        return new Map(items.map((item) => [idOf(item), item]));
      };
      const before = await itemsNow();
      let after = before;
      return recordCall(
        async () => {
          const result = await run();
          after = await itemsNow();
          return result;
        },
        (counted) => {
          const touches = written.map((key) => {
            const [old, now] = [before.get(idOf(key)), after.get(idOf(key))];
            // A transaction writes each item twice.
            const times = kind === "transaction" ? 2 : 1;
            return { parts: partsOfWrite(indexes, key.pk, { old, now }, times), sk: key.sk };
          });
          requireSameUnits(touches, counted);
          return { kind, touches };
        },
      );
    };
    return {
      // In a separate invocation the read is not batched. A batch reports only the sum of the units of its reads.
      get: (key, options) =>
        recordRead(
          () => runInvocation(() => usual.get(key, options)),
          ({ table = 0 }) => [{ ...readOf(key, table), isShownGame: isShownGame(key, options) }],
        ),
      getMany: (wanted, options) => {
        const unique = [...new Map(wanted.map((key) => [idOf(key), key])).values()];
        return recordRead(
          () => usual.getMany(wanted, options),
          ({ table = 0 }) => unique.map((key) => readOf(key, table / unique.length)),
        );
      },
      query: (range, limit, from) => {
        const { index: place = "table", pk } = range;
        return recordRead(
          () => usual.query(range, limit, from),
          ({ [place]: units = 0 }) => [{ parts: [{ place, pk, units }] }],
        );
      },
      scan: () => Promise.reject(new Error("scans are not recorded")),
      put: (item, expect) => write("write", [item], () => usual.put(item, expect)),
      extendUntil: (key, how) => write("write", [key], () => usual.extendUntil(key, how)),
      transact: (writes, token) =>
        write("transaction", writes.map(keyOfWrite), () => usual.transact(writes, token)),
      execute: () => Promise.reject(new Error("PartiQL statements are not recorded")),
    };
  };

  return {
    between,
    consumed: (one) => current.getStore()?.push(one),
    async record(work) {
      const begun: Promise<Call>[] = [];
      calls = begun;
      try {
        await work();
        return await Promise.all(begun);
      } finally {
        calls = undefined;
      }
    },
  };
};
