/**
 * Normalizes tables for comparison: random values (ids, codes, hashes, slots, the seconds of a lease) are masked, and
 * attributes that do not matter are left out.
 */
import { createHash } from "node:crypto";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { KEY_ATTRIBUTES } from "../../lib/dynamodb/key.ts";
import { playerRef } from "../../lib/store/accounts/playerRefs.ts";
import { keys } from "../../lib/store/keys.ts";
import type { Snapshot } from "./snapshot.ts";

/** Random values by their format, in this order. */
const DRAWN: readonly [string, RegExp][] = [
  ["<id>", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ["<password>", /\$argon2id\$[^"\\ ]+/g],
  ["<token>", /hvz1\.[^"\\ ]+/g],
  ["<device token>", /hvzd1\.[\w-]+/g],
  ["<device>", /(?<="hash":")[\w-]{22}(?=")/g],
  ["<player ref>", /(?<=player_ref\\*":\\*"|"REF#)[\w-]{22}/g],
  ["<hash>", /(?<![\w-])[\w-]{43}(?![\w-])/g],
  ["<sealed>", /(?<="sealed":")[\w-]+(?=")/g],
  ["<recovery code>", /\b[A-HJKMNP-Z2-9]{4}(?:-[A-HJKMNP-Z2-9]{4}){6}\b/g],
  ["<reward code>", /\b[A-HJKMNP-Z2-9]{10}\b/g],
  ["<tag code>", /\b[A-HJKMNP-Z2-9]{8}\b/g],
];
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Instants this close are equal by default; longer than a lease. */
const SAME_MS = 120_000;
/** The longest time by which anything is scheduled. */
const MAX_MS = 40 * 24 * 60 * 60_000;

/** Masks random values that are new; those that existed at the beginning keep their name. */
export type Mask = (value: unknown) => string;

const asText = (_key: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return `bytes ${createHash("sha256").update(value).digest("hex")}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/**
 * @param start the table at the beginning
 * @param now when that was, in milliseconds since 1970, to the second
 * @param moment instants this close are equal, in milliseconds
 */
export const maskSince = (start: Snapshot, now: number, moment = SAME_MS): Mask => {
  const known = new Set<string>();
  for (const item of start.values()) {
    const text = JSON.stringify(item, asText);
    for (const [, drawn] of DRAWN) {
      // A reference follows from the id.
      for (const [found] of text.matchAll(drawn)) known.add(found).add(playerRef(found));
    }
  }
  const since = (instant: number): string | null => {
    const passed = instant - now;
    return passed >= 0 && passed < MAX_MS ? `<now + ${Math.floor(passed / moment)}>` : null;
  };
  const ofNumber = (value: number): string | number => since(value) ?? since(value * 1_000) ?? value;
  return (value) => {
    const whole = JSON.stringify(value, (key, inner) =>
      typeof inner === "number" ? ofNumber(inner) : asText(key, inner),
    );
    const timeless = whole.replaceAll(TIME, (time) => since(Date.parse(time)) ?? time);
    return DRAWN.reduce(
      (text, [name, drawn]) => text.replaceAll(drawn, (found) => (known.has(found) ? found : name)),
      timeless,
    );
  };
};

/** Attributes that depend on retries and leases. */
const NOISE: readonly [(item: StoredItem) => boolean, readonly string[]][] = [
  [({ pk }) => pk.startsWith("JOB#"), ["rev", "lease_until"]],
  [({ sk }) => sk === "SESSIONS", ["rev"]],
  [({ sk }) => sk === "WARNED", ["rev", "upTo"]],
  [({ sk }) => sk === "SWEPT", ["at"]],
  [({ pk }) => pk === keys.mail("").pk, ["rev", "tries"]],
  [({ pk }) => pk === keys.mailPace.pk, ["rev"]],
  [({ sk }) => sk === "PROFILE", ["seen"]],
];

/** Items that are not compared: they change with each request, or are summed or counted instead. */
const isVolatile = ({ pk, sk, pending }: StoredItem): boolean =>
  pk.startsWith("SECRET#THROTTLE#") ||
  // What everybody is shown follows from the rest, and an attempt at an unknown account leaves nothing but its time.
  pk === keys.publicPage.pk ||
  sk === keys.unknownAttempt.sk ||
  sk === "GOING_ON" ||
  pk.startsWith("COUNT#") ||
  pk.startsWith("LOGS#") ||
  // A round with nothing pending ends a page that counts as done anyway.
  (sk.startsWith("PAGE#") && Array.isArray(pending) && pending.length === 0);

const withoutNoise = (item: StoredItem): Record<string, unknown> => {
  const dropped = NOISE.flatMap(([fits, attributes]) => (fits(item) ? attributes : []));
  const left = Object.entries(item).filter(
    ([name]) =>
      !dropped.includes(name) &&
      // The index keys follow from the rest, which the recount checks.
      (name === "pk" || name === "sk" || !KEY_ATTRIBUTES.some((key) => key === name)),
  );
  const bare = Object.fromEntries(left);
  const { before_checkpoint: before } = bare;
  // A zombie who is killed later has less time left, but the same deadline, which is among the fields before.
  if (typeof before === "object" && before !== null)
    return { ...bare, before_checkpoint: { ...before, hunger: undefined } };
  if (item.sk !== "SESSIONS" || !Array.isArray(bare.sessions)) return bare;
  // The last use of a session is recorded only now and then.
  return { ...bare, sessions: bare.sessions.map((one: object) => ({ ...one, last_used: 0 })) };
};

/** A normalized table. */
export interface Normal {
  /** Each item, sorted. */
  items: readonly string[];
  /** Log entries of successful actions, with their counts. */
  done: ReadonlyMap<string, number>;
}

const DONE = "done";

/** The sums of all counters by name, without zeros. */
export const countersOf = (items: Iterable<StoredItem>): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const item of items) {
    if (!item.pk.startsWith("COUNT#")) continue;
    for (const [name, value] of Object.entries(item))
      if (typeof value === "number") sums[name] = (sums[name] ?? 0) + value;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
};

/** @param leftOut items to ignore */
export const normalOf = (
  table: Snapshot,
  mask: Mask,
  leftOut: (item: StoredItem) => boolean = () => false,
): Normal => {
  const done = new Map<string, number>();
  const items: string[] = [];
  for (const item of table.values()) {
    if (item.pk.startsWith("LOGS#") && item.outcome === DONE) {
      const { action, actor, target, details } = item;
      const entry = mask({ action, actor, target, details });
      done.set(entry, (done.get(entry) ?? 0) + 1);
    }
    if (!isVolatile(item) && !leftOut(item)) items.push(mask(withoutNoise(item)));
  }
  items.push(`counters ${JSON.stringify(countersOf(table.values()), asText)}`);
  return { items: items.toSorted(), done };
};

/** The entries that one list has more often than the other. */
const more = (one: readonly string[], other: readonly string[]): string[] => {
  const left = Map.groupBy(other, (item) => item);
  return one.filter((item) => left.get(item)?.pop() === undefined);
};

/** The items that only one of two tables has, as text; none when the tables are equal. */
export const differences = (is: Normal, should: Normal): string[] => [
  ...more(is.items, should.items).map((item) => `is:     ${item}`),
  ...more(should.items, is.items).map((item) => `should: ${item}`),
];
