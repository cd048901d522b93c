/** Formats what a reset renews and removes. */
import { REMOVED_KINDS, type RemovedKind, type ResetCounts } from "../../lib/store/seasonCounts.ts";
import { formatCount } from "../cli/format.ts";

/** The name of each kind, singular and plural. */
const NAMES: Readonly<Record<RemovedKind, readonly [singular: string, plural: string]>> = {
  hunt: ["hunt", "hunts"],
  dispute: ["dispute", "disputes"],
  event: ["other event", "other events"],
  note: ["note of a player", "notes of players"],
  mission: ["mission", "missions"],
  message: ["message", "messages"],
  log: ["log entry", "log entries"],
  code: ["old tag code", "old tag codes"],
  response: ["stored response", "stored responses"],
  departure: ["departed player", "departed players"],
  other: ["other item", "other items"],
};

/** Formats the removed items as a list: `3 hunts, 1 message`. */
export const formatRemoved = ({ removed }: ResetCounts): string =>
  REMOVED_KINDS.flatMap((kind) => {
    const [singular, plural] = NAMES[kind];
    return removed[kind] === 0 ? [] : [formatCount(removed[kind], singular, plural)];
  }).join(", ") || "nothing";
