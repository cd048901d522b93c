/** Which items are of one season, and which are of the accounts that outlast it. */
import * as z from "zod/mini";
import { DAY, instantOf, SECOND } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { RESPONSE_KEPT_SECONDS } from "../../lib/store/idempotency.ts";
import { interactionsList, keys, logsList, notificationsList, SECRET } from "../../lib/store/keys.ts";

/** What an item is to a new season: a player to be made anew, a tag code, what is past, or what stays. */
export type Part = "player" | "code" | "past" | "kept";

/** A notification may be under way for a day, and is counted up meanwhile: it must not be taken from under that. */
const UNDER_WAY = 2 * DAY;

const Dated = z.object({
  at: z.optional(z.string()),
  created_at: z.optional(z.string()),
  expires: z.optional(z.number()),
});

/** What the partitions of a list begin with, whatever the shard. */
export const partitionPrefix = (list: (shard: number) => string): string => list(0).slice(0, -1);

const [INTERACTIONS, LOGS, NOTIFICATIONS, CODES, PLAYERS, ANSWERS] = [
  partitionPrefix(interactionsList),
  partitionPrefix(logsList),
  partitionPrefix(notificationsList),
  keys.code("").pk,
  keys.player("").pk,
  `${SECRET}ONCE#`,
];

/** Whether an item with a date of its own is from before the season. */
const isBefore = (item: StoredItem, began: number): boolean => {
  const { at, created_at, expires } = Dated.parse(item);
  if (item.pk.startsWith(LOGS)) return instantOf(at ?? "") < began;
  if (item.pk.startsWith(NOTIFICATIONS)) return instantOf(created_at ?? "") < began - UNDER_WAY;
  return ((expires ?? 0) - RESPONSE_KEPT_SECONDS) * SECOND < began;
};

/**
 * What an item is to a season. What has an end of its own (jobs, broadcasts, allowances, recovery codes) stays: it goes
 * by itself.
 * @param began when the season did, RFC 3339
 */
export const partOf = (item: StoredItem, began: string): Part => {
  const { pk, sk } = item;
  if (pk.startsWith(PLAYERS) && sk === keys.player("").sk) return "player";
  if (pk.startsWith(PLAYERS) && sk.startsWith(keys.annotation("", "").sk)) return "past";
  if (pk.startsWith(CODES)) return "code";
  // Of the season before whenever they were recorded: while a season is being begun nothing is played.
  if (pk.startsWith(INTERACTIONS)) return "past";
  if ([LOGS, NOTIFICATIONS, ANSWERS].some((start) => pk.startsWith(start))) {
    return isBefore(item, instantOf(began)) ? "past" : "kept";
  }
  return "kept";
};
