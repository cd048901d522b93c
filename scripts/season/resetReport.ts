/** Counts what a reset renews and removes. */
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import {
  idempotencyScope,
  interactionsList,
  keys,
  logsList,
  notificationsList,
  TOMBSTONES,
} from "../../lib/store/keys.ts";
import { formatCount } from "../cli/format.ts";
import { partitionPrefix } from "./items.ts";

/** The name of each kind, singular and plural, in the order of the report. */
const NAMES = {
  hunt: ["hunt", "hunts"],
  dispute: ["dispute", "disputes"],
  event: ["other event", "other events"],
  note: ["note of a player", "notes of players"],
  message: ["message", "messages"],
  log: ["log entry", "log entries"],
  code: ["old tag code", "old tag codes"],
  response: ["stored response", "stored responses"],
  departure: ["departed player", "departed players"],
  other: ["other item", "other items"],
} as const;
type Kind = keyof typeof NAMES;
const KINDS = Object.keys(NAMES).filter((kind): kind is Kind => kind in NAMES);

export type Removed = Record<Kind, number>;

const kindOf = ({ pk, sk, kind: interactionKind }: StoredItem): Kind => {
  if (pk.startsWith(partitionPrefix(interactionsList))) return interactionKind === "hunt" ? "hunt" : "event";
  if (pk.startsWith(keys.dispute("").pk)) return "dispute";
  if (sk.startsWith(keys.note("", "").sk)) return "note";
  if (pk.startsWith(partitionPrefix(notificationsList))) return "message";
  if (pk.startsWith(partitionPrefix(logsList))) return "log";
  if (pk.startsWith(TOMBSTONES)) return sk === keys.departed("").sk ? "departure" : "other";
  if (pk.startsWith(keys.code("").pk)) return "code";
  return pk.startsWith(idempotencyScope("")) ? "response" : "other";
};

/** The numbers of renewed players and removed items; in a preview, those that a reset would renew and remove. */
export interface ResetCounts {
  /** The number of players who became humans with a new tag code. */
  humans: number;
  /** The number of players who became spectators until they enrol. */
  unenrolled: number;
  removed: Removed;
}

export const noCounts = (): ResetCounts => ({
  humans: 0,
  unenrolled: 0,
  removed: {
    hunt: 0,
    dispute: 0,
    event: 0,
    note: 0,
    message: 0,
    log: 0,
    code: 0,
    response: 0,
    departure: 0,
    other: 0,
  },
});

/** Counts a removed item. */
export const countRemoved = ({ removed }: ResetCounts, item: StoredItem): void => {
  removed[kindOf(item)] += 1;
};

/** Formats the removed items as a list: `3 hunts, 1 message`. */
export const formatRemoved = ({ removed }: ResetCounts): string =>
  KINDS.flatMap((kind) => {
    const [singular, plural] = NAMES[kind];
    return removed[kind] === 0 ? [] : [formatCount(removed[kind], singular, plural)];
  }).join(", ") || "nothing";
