/** What a reset does, counted in the words of the game. */
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { interactionsList, keys, logsList, notificationsList } from "../../lib/store/keys.ts";
import { formatCount } from "../cli/format.ts";
import { partitionPrefix } from "./items.ts";

/** What an item is called, one and many, in the order in which they are listed. */
const WORDS = {
  hunt: ["hunt", "hunts"],
  event: ["other event", "other events"],
  note: ["note of a hunt", "notes of hunts"],
  message: ["message", "messages"],
  log: ["log entry", "log entries"],
  code: ["old tag code", "old tag codes"],
  response: ["stored response", "stored responses"],
} as const;
type Word = keyof typeof WORDS;
const ALL = Object.keys(WORDS).filter((word): word is Word => word in WORDS);

/** How many of each are removed. */
export type Removed = Record<Word, number>;

const wordOf = ({ pk, sk, kind }: StoredItem): Word => {
  if (pk.startsWith(partitionPrefix(interactionsList))) return kind === "hunt" ? "hunt" : "event";
  if (sk.startsWith(keys.annotation("", "").sk)) return "note";
  if (pk.startsWith(partitionPrefix(notificationsList))) return "message";
  if (pk.startsWith(partitionPrefix(logsList))) return "log";
  return pk.startsWith(keys.code("").pk) ? "code" : "response";
};

/** What a reset has done, or would do. */
export interface ResetCounts {
  /** How many players became humans with a new tag code. */
  humans: number;
  removed: Removed;
}

export const noCounts = (): ResetCounts => ({
  humans: 0,
  removed: { hunt: 0, event: 0, note: 0, message: 0, log: 0, code: 0, response: 0 },
});

/** Counts an item that was removed. */
export const countRemoved = ({ removed }: ResetCounts, item: StoredItem): void => {
  removed[wordOf(item)] += 1;
};

/** What was removed, as a list: `3 hunts, 1 message`. */
export const formatRemoved = ({ removed }: ResetCounts): string =>
  ALL.flatMap((word) => {
    const [one, more] = WORDS[word];
    return removed[word] === 0 ? [] : [formatCount(removed[word], one, more)];
  }).join(", ") || "nothing";
