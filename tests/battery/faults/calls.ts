/** Calls of the database by name: the same in every run of a setup, whatever ids and slots were drawn. */
import type { Key } from "../../../lib/dynamodb/key.ts";

/** What a call is to the database. */
export type Nature =
  /** A consistent read. */
  | "read"
  /** A read of an index, or of replicas that may lag. */
  | "late read"
  /** One item written. */
  | "write"
  /** Many items written, all or none, under a token. */
  | "transaction"
  /** Messages put on the queue, which is no database. */
  | "message";

/** A call; `nth` counts those of the same name within one request. */
export interface Call {
  name: string;
  nature: Nature;
  nth: number;
}

const MASKS: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "*"],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "*"],
  [/^(CODE|COUNT)#.*/g, "$1#*"],
  // Which counter of a shard is added to.
  [/^\d+#\d+$/g, "*"],
];

const nameOfKey = ({ pk, sk }: Partial<Key>): string =>
  [pk ?? "", sk ?? ""]
    .map((part) => MASKS.reduce((text, [drawn, by]) => text.replace(drawn, by), part))
    .join(" ");

/** Names of keys, each once with how often it comes. */
const together = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, all]) => (all.length === 1 ? name : `${all.length} × ${name}`))
    .join(", ");

/** The name of a call upon these keys. */
export const nameOf = (what: string, keys: readonly Partial<Key>[]): string =>
  `${what} ${together(keys.map(nameOfKey))}`;

/** Numbers the calls of one request that have the same name. */
export const counter = () => {
  const times = new Map<string, number>();
  return (name: string, nature: Nature): Call => {
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return { name, nature, nth };
  };
};

/** A fault at a call. */
export interface Injection {
  call: Call;
  fault: string;
}

/** What a fault leaves open. */
export interface Effect {
  /** Whether it is transient: the client may retry. Otherwise something is broken. */
  passes: boolean;
  /** Whether it goes on for all the calls that follow. */
  lasts: boolean;
  /** Whether an index or a copy answers as of a while ago: what is only read may be so too. */
  lags: "never" | "once" | "throughout";
}

export const isSame = (one: Call, other: Call): boolean => one.name === other.name && one.nth === other.nth;

export const inWords = ({ call: { name, nth }, fault }: Injection): string =>
  `${fault} at "${name}" (${nth})`;
