/** Counts what a reset renews and removes. */
import * as z from "zod/mini";
import type { StoredItem } from "../dynamodb/database.ts";
import {
  idempotencyScope,
  interactionsList,
  keys,
  logsList,
  MISSIONS_LIST,
  notificationsList,
  partitionPrefix,
  TOMBSTONES,
} from "./keys.ts";

/** The kinds of removed items, in the order of reports. */
export const REMOVED_KINDS = [
  "hunt",
  "dispute",
  "event",
  "note",
  "mission",
  "message",
  "log",
  "code",
  "response",
  "departure",
  "other",
] as const;
export type RemovedKind = (typeof REMOVED_KINDS)[number];

const kindOf = ({ pk, sk, kind: interactionKind }: StoredItem): RemovedKind => {
  if (pk.startsWith(partitionPrefix(interactionsList))) return interactionKind === "hunt" ? "hunt" : "event";
  if (pk.startsWith(keys.dispute("").pk)) return "dispute";
  if (sk.startsWith(keys.note("", "").sk)) return "note";
  if (pk === MISSIONS_LIST) return "mission";
  if (pk.startsWith(partitionPrefix(notificationsList))) return "message";
  if (pk.startsWith(partitionPrefix(logsList))) return "log";
  if (pk.startsWith(TOMBSTONES)) return sk === keys.departed("").sk ? "departure" : "other";
  if (pk.startsWith(keys.code("").pk)) return "code";
  return pk.startsWith(idempotencyScope("")) ? "response" : "other";
};

/** The numbers of renewed players and removed items; in a preview, those that a reset would renew and remove. */
export const ResetCounts = z.object({
  /** The number of players who became humans with a new tag code. */
  humans: z.int(),
  /** The number of players who became spectators until they enrol. */
  unenrolled: z.int(),
  removed: z.record(z.enum(REMOVED_KINDS), z.int()),
});
export type ResetCounts = z.infer<typeof ResetCounts>;

export const noCounts = (): ResetCounts => ({
  humans: 0,
  unenrolled: 0,
  removed: {
    hunt: 0,
    dispute: 0,
    event: 0,
    note: 0,
    mission: 0,
    message: 0,
    log: 0,
    code: 0,
    response: 0,
    departure: 0,
    other: 0,
  },
});

/** The counts with these items removed as well. */
export const withRemoved = (counts: ResetCounts, items: readonly StoredItem[]): ResetCounts => {
  const removed = { ...counts.removed };
  for (const item of items) removed[kindOf(item)] += 1;
  return { ...counts, removed };
};
