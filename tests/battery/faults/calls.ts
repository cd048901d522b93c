/** Names for calls of the database: they are the same in every run, although ids and counter slots are random. */
import type { Key } from "../../../lib/dynamodb/key.ts";

/** The kind of a call. */
export type Nature =
  /** A consistent read. */
  | "read"
  /** A read of an index, or of replicas that may lag. */
  | "late read"
  /** One item written. */
  | "write"
  /** Many items written, all or none, under a token. */
  | "transaction"
  /** Messages put on the queue. */
  | "message"
  /** A request of the SDK, of which a call may need several. */
  | "request";

/** A call; `nth` counts those of the same name within one process. */
export interface Call {
  name: string;
  nature: Nature;
  nth: number;
}

/** What a fault does beyond its own call. */
export interface Effect {
  /** The fault that later calls have, where it is possible. */
  lasts?: string;
  /** Whether the request cannot succeed; otherwise the client may retry the call. */
  breaks?: boolean;
  /** Whether an index or a replica lags: then a response may be outdated too. */
  lags?: "once" | "throughout";
}

/** A kind of fault, and the calls that can have it. */
export interface FaultKind extends Effect {
  fits: (call: Call) => boolean;
}

/** A fault at a call. */
export interface Injection {
  call: Call;
  fault: string;
  effect: Effect;
}

const MASKS: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "*"],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "*"],
  [/^(CODE|COUNT|REF)#.*/g, "$1#*"],
  // The counter slot is random.
  [/^\d+#\d+$/g, "*"],
];

const nameOfKey = ({ pk, sk }: Partial<Key>): string =>
  [pk ?? "", sk ?? ""]
    .map((part) => MASKS.reduce((text, [drawn, by]) => text.replace(drawn, by), part))
    .join(" ");

/** The name of a call for these keys: each key once, with its number of occurrences. */
export const nameOf = (what: string, keys: readonly Partial<Key>[]): string => {
  const counted = Map.groupBy(keys.map(nameOfKey), (name) => name);
  const names = [...counted].map(([name, { length }]) => (length === 1 ? name : `${length} × ${name}`));
  return `${what} ${names.join(", ")}`;
};

export const inWords = ({ call: { name, nth }, fault }: Injection): string =>
  `${fault} at "${name}" (${nth})`;
