/** A database that a test watches or disturbs. */
import { type Database, keyOfWrite } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";

type Call = keyof Database;
export type BeforeCall = (call: Call, keys: readonly Key[]) => Promise<void> | void;

/** The keys that a call concerns: of a query the partition alone, of a statement or a scan none. */
const KEYS: { [C in Call]: (...args: Parameters<Database[C]>) => readonly Key[] } = {
  get: (key) => [key],
  getMany: (keys) => keys,
  query: ({ pk }) => [{ pk, sk: "" }],
  scan: () => [],
  put: (item) => [item],
  extendUntil: (key) => [key],
  transact: (writes) => writes.map(keyOfWrite),
  execute: () => [],
};

/** Wraps a database: before each call, it calls what `current` returns, which may throw or delay the call. */
export const beforeCalls = (usual: Database, current: () => BeforeCall | undefined): Database => {
  const calls = Object.entries(KEYS).map(([name, keysOf]) => [
    name,
    async (...args: unknown[]) => {
      // Both take the arguments of the call of this name.
      await current()?.(name as Call, Reflect.apply(keysOf, undefined, args));
      return Reflect.apply(usual[name as Call], usual, args);
    },
  ]);
  return Object.fromEntries(calls);
};
