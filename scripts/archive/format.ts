/**
 * The export file format: one JSON document per line. The first line is a header. The items follow, each value with
 * its DynamoDB type descriptor and bytes as base64. The last line is a trailer with the number of items and the
 * SHA-256 of all lines before it.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import type { Key } from "../../lib/dynamodb/key.ts";
import { JOIN_CODES, keys, logsList, SECRET, TOMBSTONES } from "../../lib/store/keys.ts";
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
  /** The awards of a season that a reset has closed, for people who read the file; no command reads them. */
  awards: z.optional(z.unknown()),
});
export type Header = z.infer<typeof Header>;

export const Trailer = z.strictObject({ items: z.int(), sha256: z.string() });
export type Trailer = z.infer<typeof Trailer>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** Bytes as canonical base64. */
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

/** Formats an item as one line, without the line break. */
export const lineOf = (item: RawItem): string => JSON.stringify(jsonOfAll(item));

const text = z.string();
const texts = z.array(z.string());

/** A value with exactly one type descriptor. */
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

/** JavaScript treats an attribute of this name as the prototype and loses it. */
const UNSAFE_NAME = "__proto__";

const rejectUnsafeName = (name: string, value: unknown): unknown => {
  if (name === UNSAFE_NAME) throw new Error(`an attribute has the name ${UNSAFE_NAME}`);
  return value;
};

/** Parses the item in a line. @throws Error if the line is not an item */
export const itemOf = (line: string): RawItem => {
  // The reviver makes parsing several times slower, so it is used only when the name may occur.
  const mayHoldIt = line.includes(UNSAFE_NAME) || /\\u005f/i.test(line);
  const json: unknown = mayHoldIt ? JSON.parse(line, rejectUnsafeName) : JSON.parse(line);
  Keyed.parse(json);
  return Values.parse(json);
};

/** Returns the key of an item. */
export const keyOf = ({ pk, sk }: RawItem): Key => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });

/** Converts a key to the form that the DynamoDB client takes. */
export const rawKey = ({ pk, sk }: Key): RawItem => ({ pk: { S: pk }, sk: { S: sk } });

export const isAt = (item: RawItem, key: Key): boolean => {
  const { pk, sk } = keyOf(item);
  return pk === key.pk && sk === key.sk;
};

/** Sessions and recovery codes grant access to accounts, so they are exported only on request. */
const SESSIONS = ["SESSIONS", "RECOVERY"];

/** Secrets of the game instead of a player: bans, players who have left, addresses in use, join codes. */
const OF_THE_GAME = [keys.bans.pk, TOMBSTONES, keys.email("").pk, JOIN_CODES];

/** Whether a secret with this sort key is part of a player's account. */
const isOfAccount = (sk: string): boolean =>
  sk === "CREDENTIAL" || sk === "ENDPOINT" || sk.startsWith("SUBSCRIPTION#");

const begins = (item: RawItem, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => keyOf(item).pk.startsWith(prefix));

/**
 * Items that the service writes even if nobody plays: log entries, rate limits, failed logins at unknown accounts, and the
 * public page. `npm run doctor` creates some of them. So does a start, of a set-up secret.
 */
const TRACES = [
  ...[partitionPrefix(logsList), `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`, keys.publicPage.pk],
  keys.setUp.pk,
];

/** Whether an item is of those that hold `JOIN_CODE`, which a deploy or a start writes into a new game. */
const isSeed = (item: RawItem): boolean => isAt(item, keys.game) || keyOf(item).pk === JOIN_CODES;

/**
 * Whether an item belongs to a game: to an account, to something that was played, or of an unknown kind. The settings
 * alone are no game, because they can be changed only by an account.
 */
export const isGameItem = (item: RawItem): boolean =>
  !(begins(item, TRACES) || isSeed(item) || isAt(item, keys.sweepClock) || isAt(item, keys.continuation));

/**
 * Items that expire and are useless in another table: jobs, events, rate limits, failed logins at unknown accounts, the
 * public page, the set-up secret.
 */
const PASSING = [
  ...["JOB#", keys.event("").pk, `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`, keys.publicPage.pk],
  keys.setUp.pk,
];

/**
 * Returns a predicate that selects the items to export.
 * @param job the id of the job that the game item refers to
 */
export const exportFilter =
  ({ withSessions, job }: { withSessions: boolean; job: string | null }) =>
  (item: RawItem): boolean => {
    const { pk, sk } = keyOf(item);
    if (job !== null && pk === keys.job(job).pk) return true;
    // Players who have left cannot come back by their password in another table; a game master decides.
    const isPassword = pk.startsWith(TOMBSTONES) && sk === keys.credential("").sk;
    if (
      isPassword ||
      isAt(item, keys.importing) ||
      isAt(item, keys.resetting) ||
      isAt(item, keys.continuation) ||
      begins(item, PASSING)
    )
      return false;
    // Unknown secrets are not exported.
    if (!pk.startsWith(SECRET) || begins(item, OF_THE_GAME)) return true;
    return isOfAccount(sk) || (withSessions && SESSIONS.includes(sk));
  };
