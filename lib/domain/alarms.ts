/** Alarms: tags of newcomers who look like accounts that the hunter has made to be fed. */
import * as z from "zod/mini";
import { text } from "./schemas.ts";
import { DAY, HOUR, instantOf } from "./time.ts";

/** How long it is remembered where a player has registered from. */
export const ORIGIN_KEPT = DAY;
/** So many newcomers from one address, tagged by one zombie within an hour, are an alarm. */
export const MIN_NEWCOMERS = 5;
const WINDOW = HOUR;
/** An alert has this many hunts, as many as one command voids; the next tags begin another. */
export const MAX_HUNTS = 100;

/** A tag of a newcomer. */
export const NewcomerTag = z.looseObject({
  interaction_id: text,
  target: text,
  /** When it was recorded, which the hunter cannot choose; RFC 3339. */
  at: text,
});
export type NewcomerTag = z.infer<typeof NewcomerTag>;

/** The tags of newcomers from one address by one zombie, within the last hour, and the alert that they belong to. */
export interface NewcomerTags {
  tags: readonly NewcomerTag[];
  alert: { alert_id: string; hunts: readonly NewcomerTag[] } | null;
}

/**
 * Adds a tag, once.
 * @param newId makes the id of a new alert
 * @returns `null` if the tag is known
 */
export const addNewcomerTag = (
  { tags, alert }: NewcomerTags,
  tag: NewcomerTag,
  newId: () => string,
): (NewcomerTags & { isNew: boolean }) | null => {
  const isSame = ({ interaction_id }: NewcomerTag): boolean => interaction_id === tag.interaction_id;
  if (tags.some(isSame) || alert?.hunts.some(isSame) === true) return null;
  const since = instantOf(tag.at) - WINDOW;
  const recent = [...tags.filter(({ at }) => instantOf(at) > since), tag];
  if (new Set(recent.map(({ target }) => target)).size < MIN_NEWCOMERS)
    return { tags: recent, alert: null, isNew: false };
  const isNew = alert === null || alert.hunts.length >= MAX_HUNTS;
  const current = isNew
    ? { alert_id: newId(), hunts: alert === null ? recent : [tag] }
    : { ...alert, hunts: [...alert.hunts, tag] };
  return { tags: recent, alert: current, isNew };
};

/** Whether a prey has become human recently enough to be a newcomer. @param since RFC 3339 */
export const mayBeNewcomer = (since: string, at: string): boolean =>
  instantOf(at) - instantOf(since) < ORIGIN_KEPT;
