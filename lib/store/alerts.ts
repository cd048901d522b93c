/** Stored data of alerts: hashed addresses of registrations, which expire; recent tags of newcomers; alerts. */
import * as z from "zod/mini";
import { NewcomerTag, type NewcomerTags, ORIGIN_RETENTION_MS } from "../domain/alerts.ts";
import { HOUR, SECOND } from "../domain/time.ts";
import type { Database, StoredItem, Write } from "../dynamodb/database.ts";
import { ALERTS_LIST, keys } from "./keys.ts";
import { type Entry, entries } from "./lists.ts";

const expiryAt = (instant: number): number => Math.ceil(instant / SECOND);

/** Stores the address from which a new player has registered. @param hash the keyed hash of the address */
export const originWrite = (playerId: string, hash: string, now: number): Write => ({
  put: { ...keys.origin(playerId), hash, expires: expiryAt(now + ORIGIN_RETENTION_MS) },
});

const Origin = z.object({ hash: z.string(), expires: z.number() });

/** The hash of the address that a player has registered from; `null` if that was long ago, or is not known. */
export const readOrigin = async (db: Database, playerId: string, now: number): Promise<string | null> => {
  const item = await db.get(keys.origin(playerId), { consistent: false });
  if (item === undefined) return null;
  const { hash, expires } = Origin.parse(item);
  return expires * SECOND > now ? hash : null;
};

const StoredTags = z.looseObject({
  rev: z.int(),
  tags: z.array(NewcomerTag),
  alert_id: z.nullable(z.string()),
});

/** An alert for game masters: suspicious hunts by one hunter. Times are RFC 3339. */
export const Alert = z.looseObject({
  alert_id: z.string(),
  kind: z.literal("newcomers"),
  /** A player id. */
  hunter: z.string(),
  hunts: z.array(NewcomerTag),
  at: z.string(),
  /** When its hunts were voided. */
  resolved_at: z._default(z.nullable(z.string()), null),
  rev: z.int(),
});
export type Alert = z.infer<typeof Alert>;

/** The recent tags of newcomers by one zombie, as stored. */
export interface TagsRecord extends NewcomerTags {
  rev: number;
  alert: Alert | null;
}

export const readAlert = async (db: Database, alertId: string): Promise<Alert | null> => {
  const item = await db.get(keys.alert(alertId));
  return item === undefined ? null : Alert.parse(item);
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
  return [
    record,
    { put: { ...stored, ...keys.alert(alert.alert_id) }, expect: isSame ? { rev: before.rev } : "absent" },
  ];
};

/** Marks an alert as resolved. */
export const resolvedWrite = (alert: Alert, at: string): Write => ({
  put: { ...alert, resolved_at: at, rev: alert.rev + 1, ...keys.alert(alert.alert_id) },
  expect: { rev: alert.rev },
});

/** Alerts, newest first. */
export const alertEntries = (db: Database, expected: number): AsyncGenerator<Entry> =>
  entries(db, { partition: () => ALERTS_LIST, shards: 1, descending: true }, expected);

export const parseAlert = (item: StoredItem): Alert => Alert.parse(item);
