/** Stored data of alerts: hashed addresses of registrations, which expire; recent tags of newcomers; alerts. */
import * as z from "zod/mini";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { NewcomerTag, type NewcomerTags, ORIGIN_RETENTION_MS } from "../../domain/notifications/alerts.ts";
import { integer, nullableText, nullTextByDefault, text } from "../../domain/schemas.ts";
import { DAY, HOUR, rfc3339, SECOND } from "../../domain/time.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { ALERTS_LIST, keys } from "../keys.ts";
import { type Entry, entries } from "../lists.ts";

const expiryAt = (instant: number): number => Math.ceil(instant / SECOND);

/** Stores the address from which a new player has registered. @param hash the keyed hash of the address */
export const originWrite = (playerId: string, hash: string, now: number): Write => ({
  put: { ...keys.origin(playerId), hash, expires: expiryAt(now + ORIGIN_RETENTION_MS) },
});

const Origin = z.lazy(() => z.object({ hash: text, expires: z.number() }));

/** The hash of the address that a player has registered from; `null` if that was long ago, or is not known. */
export const readOrigin = async (db: Database, playerId: string, now: number): Promise<string | null> => {
  const item = await db.get(keys.origin(playerId), { consistent: false });
  if (item === undefined) return null;
  const { hash, expires } = Origin.parse(item);
  return expires * SECOND > now ? hash : null;
};

const StoredTags = z.lazy(() =>
  z.looseObject({
    rev: integer,
    tags: z.array(NewcomerTag),
    alert_id: nullableText,
  }),
);

const ALERT_KINDS = ["newcomers", "revived_by_late_tag"] as const;
export const AlertKind = z.enum(ALERT_KINDS);

/** When a late tag happened, and when its hunter had starved before it arrived. Times are RFC 3339. */
const LateTag = z.lazy(() => z.looseObject({ happened_at: text, starved_at: text }));

/**
 * An alert for game masters: suspicious hunts by one hunter. Times are RFC 3339. One about a late tag is stored as one about
 * newcomers, the only kind that the previous version of the service knows, see {@link parseAlert}.
 */
export const Alert = z.lazy(() =>
  z.looseObject({
    alert_id: text,
    kind: AlertKind,
    /** A player id. */
    hunter: text,
    hunts: z.array(NewcomerTag),
    late_tag: z.optional(LateTag),
    at: text,
    /** When its hunts were voided. */
    resolved_at: nullTextByDefault,
    rev: integer,
  }),
);
export type Alert = z.infer<typeof Alert>;

/** The recent tags of newcomers by one zombie, as stored. */
export interface TagsRecord extends NewcomerTags {
  rev: number;
  alert: Alert | null;
}

export const parseAlert = (item: StoredItem): Alert => {
  const alert = Alert.parse(item);
  return alert.late_tag === undefined ? alert : { ...alert, kind: "revived_by_late_tag" };
};

const alertItem = (alert: Alert): StoredItem => ({
  ...alert,
  kind: "newcomers",
  ...keys.alert(alert.alert_id),
});

export const readAlert = async (db: Database, alertId: string): Promise<Alert | null> => {
  const item = await db.get(keys.alert(alertId));
  return item === undefined ? null : parseAlert(item);
};

export const readNewcomerTags = async (db: Database, hash: string, hunter: string): Promise<TagsRecord> => {
  const item = await db.get(keys.newcomerTags(hash, hunter));
  if (item === undefined) return { rev: 0, tags: [], alert: null };
  const { rev, tags, alert_id } = StoredTags.parse(item);
  return { rev, tags, alert: alert_id === null ? null : await readAlert(db, alert_id) };
};

/** The writes of tags with their alert, on condition that neither has changed. */
export const newcomerTagsWrites = (
  { rev, alert: before }: TagsRecord,
  { tags, alert }: NewcomerTags,
  { hash, hunter, at, now }: { hash: string; hunter: string; at: string; now: number },
): Write[] => {
  const record: Write = {
    put: {
      ...keys.newcomerTags(hash, hunter),
      rev: rev + 1,
      tags,
      alert_id: alert?.alert_id ?? null,
      expires: expiryAt(now + HOUR),
    },
    expect: rev === 0 ? "absent" : { rev },
  };
  if (alert === null) return [record];
  const isSame = alert.alert_id === before?.alert_id;
  const stored: Alert = {
    ...(isSame ? before : { kind: "newcomers", hunter, at, resolved_at: null }),
    alert_id: alert.alert_id,
    hunts: [...alert.hunts],
    rev: (isSame ? before.rev : 0) + 1,
  };
  return [record, { put: alertItem(stored), expect: isSame ? { rev: before.rev } : "absent" }];
};

/** Marks an alert as resolved. */
export const resolvedWrite = (alert: Alert, at: string): Write => ({
  put: alertItem({ ...alert, resolved_at: at, rev: alert.rev + 1 }),
  expect: { rev: alert.rev },
});

/** For how long game masters are told of a late tag: as long as hunter and prey can dispute it, in milliseconds. */
const LATE_TAG_RETENTION_MS = DAY;

/** The write of the alert about a late tag, which has the id of the hunt. Times are RFC 3339. */
export const lateTagAlertWrite = (
  { interaction_id, actor, target }: Interaction,
  { happenedAt: happened_at, starvedAt: starved_at }: { happenedAt: string; starvedAt: string },
  now: number,
): Write => {
  const at = rfc3339(now);
  const alert: Alert = {
    alert_id: interaction_id,
    kind: "revived_by_late_tag",
    hunter: actor ?? "",
    hunts: [{ interaction_id, target: target ?? "", at }],
    late_tag: { happened_at, starved_at },
    at,
    resolved_at: null,
    rev: 1,
    expires: expiryAt(now + LATE_TAG_RETENTION_MS),
  };
  return { put: alertItem(alert), expect: "absent" };
};

/** The write that resolves the alert about a late tag when its hunt is voided; none if there is no such alert. */
export const lateTagResolved = async (
  db: Database,
  { interaction_id, revival }: Interaction,
  now: number,
): Promise<Write[]> => {
  const alert = revival === undefined ? null : await readAlert(db, interaction_id);
  return alert === null || alert.resolved_at !== null ? [] : [resolvedWrite(alert, rfc3339(now))];
};

/** Alerts, newest first. */
export const alertEntries = (db: Database, expected: number): AsyncGenerator<Entry> =>
  entries(db, { partition: () => ALERTS_LIST, shards: 1, descending: true }, expected);
