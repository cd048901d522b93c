/** Alerts: a hunter tags many newcomers from one address, perhaps fake accounts that the hunter created to be fed. */
import * as z from "zod/mini";
import { text } from "../schemas.ts";
import { DAY, HOUR, instantOf } from "../time.ts";

/** How long the address of a registration is remembered, in milliseconds. */
export const ORIGIN_RETENTION_MS = DAY;
/** The number of newcomers from one address whom one zombie must tag within an hour to create an alert. */
export const MIN_NEWCOMERS = 5;
const WINDOW = HOUR;
/** The maximum number of hunts in an alert: as many as one command can void. Further tags begin a new alert. */
export const MAX_HUNTS = 100;

export const NewcomerTag = z.lazy(() =>
  z.looseObject({
    interaction_id: text,
    target: text,
    /** When the tag was recorded, RFC 3339. Unlike the time of the hunt, the hunter cannot choose it. */
    at: text,
  }),
);
export type NewcomerTag = z.infer<typeof NewcomerTag>;

/** One zombie's tags of newcomers from one address within the last hour, and the alert that they belong to. */
export interface NewcomerTags {
  tags: readonly NewcomerTag[];
  alert: { alert_id: string; hunts: readonly NewcomerTag[] } | null;
}

/**
 * Adds a tag.
 * @param newId makes the id of a new alert
 * @returns the tags and the alert, `isNew` if this tag began the alert; `null` if the tag was added before
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

/** Whether a prey became human recently enough to be a newcomer when tagged. All times are RFC 3339. */
export const mayBeNewcomer = (humanSince: string, taggedAt: string): boolean =>
  instantOf(taggedAt) - instantOf(humanSince) < ORIGIN_RETENTION_MS;
