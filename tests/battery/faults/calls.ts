/** Calls of the database and requests to it by name: the same in every run, whatever ids and slots were drawn. */
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
  | "message"
  /** A request of the SDK, of which a call may need several. */
  | "request";

/** A call; `nth` counts those of the same name within one process. */
export interface Call {
  name: string;
  nature: Nature;
  nth: number;
}

/** What a fault leaves open. */
export interface Effect {
  /** The fault that the calls after it meet, if they fit it. */
  lasts?: string;
  /** Whether something is broken; otherwise the client may retry. */
  breaks?: boolean;
  /** Whether an index or a copy answers as of a while ago: what is only read may be so too. */
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
  [/^(CODE|COUNT)#.*/g, "$1#*"],
  // Which counter of a shard is added to.
  [/^\d+#\d+$/g, "*"],
];

const nameOfKey = ({ pk, sk }: Partial<Key>): string =>
  [pk ?? "", sk ?? ""]
    .map((part) => MASKS.reduce((text, [drawn, by]) => text.replace(drawn, by), part))
    .join(" ");

/** The name of a call upon these keys: each key once, with how often it comes. */
export const nameOf = (what: string, keys: readonly Partial<Key>[]): string => {
  const counted = Map.groupBy(keys.map(nameOfKey), (name) => name);
  const names = [...counted].map(([name, { length }]) => (length === 1 ? name : `${length} × ${name}`));
  return `${what} ${names.join(", ")}`;
};

export const inWords = ({ call: { name, nth }, fault }: Injection): string =>
  `${fault} at "${name}" (${nth})`;
