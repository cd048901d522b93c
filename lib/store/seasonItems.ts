/** Decides which items belong to a season, and which to accounts that outlast it. */
import * as z from "zod/mini";
import { DAY, instantOf, SECOND } from "../domain/time.ts";
import type { StoredItem } from "../dynamodb/database.ts";
import { RESPONSE_TTL_SECONDS } from "./idempotency.ts";
import {
  ALERTS_LIST,
  idempotencyScope,
  interactionsList,
  keys,
  logsList,
  MISSIONS_LIST,
  missionPart,
  notificationsList,
  partitionPrefix,
  CODES as REWARD_CODES,
  SIGNATURES,
  STATISTICS_LIST,
  TOMBSTONES,
  UNDER_AGE,
} from "./keys.ts";

/** What a reset does with an item: renews a player, checks whether a tag code is in use, removes the item, or keeps it. */
export type ResetAction = "player" | "code" | "past" | "kept";

/** A notification is delivered within a day, and the delivery updates the counts in its item. Doubled as a margin. */
const MAX_DELIVERY_TIME = 2 * DAY;

const Dated = z.object({
  at: z.optional(z.string()),
  created_at: z.optional(z.string()),
  expires: z.optional(z.number()),
  scheduling: z.optional(z.string()),
});

const [INTERACTIONS, DISPUTES, LOGS, NOTIFICATIONS, CODES, PLAYERS, STORED_RESPONSES] = [
  partitionPrefix(interactionsList),
  keys.dispute("").pk,
  partitionPrefix(logsList),
  partitionPrefix(notificationsList),
  keys.code("").pk,
  keys.player("").pk,
  idempotencyScope(""),
];

/** Whether an item with its own date belongs to an earlier season. */
const isBefore = (item: StoredItem, seasonStart: number): boolean => {
  const { at, created_at, expires, scheduling } = Dated.parse(item);
  if (item.pk.startsWith(LOGS)) return instantOf(at ?? "") < seasonStart;
  if (scheduling === "scheduled") return instantOf(created_at ?? "") < seasonStart;
  if (item.pk.startsWith(NOTIFICATIONS)) return instantOf(created_at ?? "") < seasonStart - MAX_DELIVERY_TIME;
  return ((expires ?? 0) - RESPONSE_TTL_SECONDS) * SECOND < seasonStart;
};

/**
 * Returns what a reset does with an item. Items that expire are kept (jobs, events, broadcasts, rate limits, recovery codes),
 * except stored responses of the old season.
 * @param seasonStart the start of the new season, RFC 3339
 */
export const resetActionOf = (item: StoredItem, seasonStart: string): ResetAction => {
  const { pk, sk } = item;
  if (pk.startsWith(PLAYERS) && sk === keys.player("").sk) return "player";
  if (pk.startsWith(PLAYERS) && sk.startsWith(keys.note("", "").sk)) return "past";
  if (pk.startsWith(CODES)) return "code";
  if ([TOMBSTONES, REWARD_CODES, SIGNATURES, UNDER_AGE].some((start) => pk.startsWith(start))) return "past";
  if (pk === keys.game.pk && (sk.startsWith(keys.original("").sk) || sk === keys.seasonEnd.sk)) return "past";
  // All interactions belong to the old season, because nobody plays during a reset.
  if (pk.startsWith(INTERACTIONS) || pk.startsWith(DISPUTES)) return "past";
  if ([STATISTICS_LIST, ALERTS_LIST, MISSIONS_LIST].includes(pk)) return "past";
  if (pk.startsWith(missionPart(""))) return "past";
  if ([LOGS, NOTIFICATIONS, STORED_RESPONSES].some((start) => pk.startsWith(start))) {
    return isBefore(item, instantOf(seasonStart)) ? "past" : "kept";
  }
  return "kept";
};
