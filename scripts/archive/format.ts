/**
 * The file of a game: one JSON text a line. First a header, then the items, each value with its type as the table has
 * it and bytes as base64, and last a trailer with their number and the SHA-256 of every line before it.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keys, logsList, SECRET } from "../../lib/store/keys.ts";
import { partitionPrefix } from "../season/items.ts";
import type { RawItem } from "./rawItem.ts";

export const FORMAT = "zombie-game";
export const VERSION = 1;

export const Header = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  /** RFC 3339. */
  at: z.string(),
  table: z.string(),
});
export type Header = z.infer<typeof Header>;

export const Trailer = z.strictObject({ items: z.int(), sha256: z.string() });
export type Trailer = z.infer<typeof Trailer>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** Bytes as base64, in the one form in which they are written. */
const Bytes = z.pipe(
  z.string().check(z.refine((text) => base64(Buffer.from(text, "base64")) === text)),
  z.transform((text): Uint8Array => Buffer.from(text, "base64")),
);

type Json = { [type: string]: unknown };

const jsonOf = (value: AttributeValue): Json => {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(jsonOf) };
  if (value.M !== undefined) return { M: jsonOfAll(value.M) };
  return { ...value };
};

const jsonOfAll = (values: RawItem): Json =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, jsonOf(value)]));

/** An item as a line, without its end. */
export const lineOf = (item: RawItem): string => JSON.stringify(jsonOfAll(item));

const text = z.string();
const texts = z.array(z.string());

/** A value with its one type. */
const Value: z.ZodMiniType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ S: text }),
    z.strictObject({ N: text }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.literal(true) }),
    z.strictObject({ B: Bytes }),
    z.strictObject({ SS: texts }),
    z.strictObject({ NS: texts }),
    z.strictObject({ BS: z.array(Bytes) }),
    z.strictObject({ L: z.array(Value) }),
    z.strictObject({ M: z.record(z.string(), Value) }),
  ]),
);

const Keyed = z.looseObject({ pk: z.object({ S: text }), sk: z.object({ S: text }) });
const Values = z.record(z.string(), Value);

/** JavaScript would take an attribute of this name for something else, and lose it. */
const LOST_NAME = "__proto__";

const requireNoLostName = (name: string, value: unknown): unknown => {
  if (name === LOST_NAME) throw new Error(`an attribute has the name ${LOST_NAME}`);
  return value;
};

/** The item of a line. @throws Error for what is none */
export const itemOf = (line: string): RawItem => {
  // Looked at name by name only where there may be one: it takes several times as long.
  const mayHoldIt = line.includes(LOST_NAME) || /\\u005f/i.test(line);
  const json: unknown = mayHoldIt ? JSON.parse(line, requireNoLostName) : JSON.parse(line);
  Keyed.parse(json);
  return Values.parse(json);
};

/** Where an item lies. */
export const keyOf = ({ pk, sk }: RawItem): Key => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });

/** A key as the table's own client takes it. */
export const rawKey = ({ pk, sk }: Key): RawItem => ({ pk: { S: pk }, sk: { S: sk } });

export const isAt = (item: RawItem, key: Key): boolean => {
  const { pk, sk } = keyOf(item);
  return pk === key.pk && sk === key.sk;
};

/** What opens a door for an hour or a week: only where it is asked for. */
const SESSIONS = ["SESSIONS", "RECOVERY"];

/** What keeps secrets, and belongs to the game itself. */
const belongs = (sk: string): boolean =>
  sk === "CREDENTIAL" || sk === "ENDPOINT" || sk.startsWith("SUBSCRIPTION#");

const begins = (item: RawItem, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => keyOf(item).pk.startsWith(prefix));

/**
 * What a service leaves in a table that nobody plays in: log entries, rate limits, failed logins at accounts that there
 * are not, and the marks of its sweeps. `npm run doctor` causes them, and they are no game.
 */
const TRACES = [partitionPrefix(logsList), `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`];

/** Whether an item is part of a game: of an account, of what was played, or one that this service does not know. */
export const isGameItem = (item: RawItem): boolean =>
  !(begins(item, TRACES) || isAt(item, keys.swept) || isAt(item, keys.goingOn));

/** What has an end of its own, and nothing to do with another table: work under way, allowances. */
const PASSING = ["JOB#", `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`];

/**
 * Which items go into a file.
 * @param job the one that the game is waiting for
 */
export const exportFilter =
  ({ withSessions, job }: { withSessions: boolean; job: string | null }) =>
  (item: RawItem): boolean => {
    const { pk, sk } = keyOf(item);
    if (job !== null && pk === keys.job(job).pk) return true;
    if (
      isAt(item, keys.importing) ||
      isAt(item, keys.resetting) ||
      isAt(item, keys.goingOn) ||
      begins(item, PASSING)
    )
      return false;
    // Of secrets only those that are known to belong here.
    return !pk.startsWith(SECRET) || belongs(sk) || (withSessions && SESSIONS.includes(sk));
  };
