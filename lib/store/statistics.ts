/**
 * What the statistics need of the interactions. Closed hours are stored in spans, one after the other, so that each
 * interaction is read once however often the statistics are asked for. A span never has to be computed again: a void is
 * an interaction of its own hour, and the tags that wait for their hunter are listed with the span and looked at until
 * they have one.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod/mini";
import type { Game } from "../domain/clock.ts";
import { Moment, momentOf } from "../domain/statistics.ts";
import { HOUR, MINUTE } from "../domain/time.ts";
import type { Expectation, StoredItem } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { RETRY_RESERVE_MS, unavailable } from "./commit.ts";
import { parseInteraction } from "./items.ts";
import { firstIdAt, interactionsList, keys, STATISTICS_LIST } from "./keys.ts";
import { entries, readAll } from "./lists.ts";
import type { Store } from "./store.ts";

/** No process writes an interaction with an id that is older than this. */
const CLOSED_AFTER = 5 * MINUTE;
/** Some 60 bytes each: an item has at most 400 KB. */
const MOMENTS_PER_SPAN = 4_000;
const PAGE_SIZE = 1_000;

/** Where the first span begins: before every id. */
const BEGINNING = "0";

const Span = z.looseObject({
  rev: z.int(),
  /** The first id after it. */
  until: z.string(),
  /** Compressed JSON. */
  moments: z.instanceof(Uint8Array),
  /** The partition and the id of tags that wait for their hunter. */
  waiting: z.array(z.looseObject({ pk: z.string(), sk: z.string() })),
});

interface OpenSpan {
  from: string;
  rev: number;
  until: string;
  moments: Moment[];
  waiting: Key[];
}

const parseSpan = (item: StoredItem): OpenSpan => {
  const { rev, until, moments, waiting } = Span.parse(item);
  const unpacked = z.array(Moment).parse(JSON.parse(gunzipSync(moments).toString()));
  return { from: item.sk, rev, until, moments: unpacked, waiting };
};

/** Writes a span. Another reader may have written it before, from the same interactions. */
const writeSpan = async (
  { db }: Store,
  { from, rev, until, moments, waiting }: OpenSpan,
  expect: Expectation,
): Promise<void> => {
  const packed = gzipSync(JSON.stringify(moments));
  try {
    await db.put({ ...keys.statistics(from), rev, until, moments: packed, waiting }, expect);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/** Brings a span up to date with the tags in it that have got their hunter. */
const settle = async (store: Store, span: OpenSpan): Promise<OpenSpan> => {
  if (span.waiting.length === 0) return span;
  const found = await store.db.getMany(span.waiting, { consistent: false });
  const settled = found
    .map(parseInteraction)
    .filter((one) => one.waiting_since === undefined || one.voided_by !== undefined);
  if (settled.length === 0) return span;
  const changed = new Map(settled.map((one) => [one.interaction_id, momentOf(one)]));
  const next: OpenSpan = {
    ...span,
    rev: span.rev + 1,
    moments: span.moments.map((moment) => changed.get(moment.id) ?? moment),
    waiting: span.waiting.filter(({ sk }) => !changed.has(sk)),
  };
  await writeSpan(store, next, { rev: span.rev });
  return next;
};

/**
 * What the statistics need of all interactions, unordered. Hours that have closed since the last call are stored.
 * @throws DomainError `unavailable` when time runs out; the next call continues
 */
export const readMoments = async (
  store: Store,
  { shards }: Game,
  now: number,
  timeLeft: () => number,
): Promise<Moment[]> => {
  const items = await readAll(store.db, { partition: () => STATISTICS_LIST, shards: 1 }, PAGE_SIZE);
  const spans = await Promise.all(items.map((item) => settle(store, parseSpan(item))));
  const closed = firstIdAt(Math.floor((now - CLOSED_AFTER) / HOUR) * HOUR);
  const from = spans.at(-1)?.until ?? BEGINNING;
  let span: OpenSpan = { from, rev: 1, until: closed, moments: [], waiting: [] };
  const found: Moment[] = [];
  const flush = async (until: string): Promise<void> => {
    if (span.moments.length === 0) return;
    await writeSpan(store, { ...span, until }, "absent");
    span = { ...span, from: until, moments: [], waiting: [] };
    if (timeLeft() < RETRY_RESERVE_MS) throw unavailable();
  };
  const list = { partition: interactionsList, shards, after: from };
  for await (const { position, item } of entries(store.db, list, PAGE_SIZE)) {
    const moment = momentOf(parseInteraction(item));
    if (position >= closed) await flush(closed);
    else if (span.moments.length === MOMENTS_PER_SPAN) await flush(position);
    if (moment === null) continue;
    found.push(moment);
    if (position >= closed) continue;
    span.moments.push(moment);
    if (moment.waiting === true) span.waiting.push({ pk: item.pk, sk: item.sk });
  }
  await flush(closed);
  return [...spans.flatMap(({ moments }) => moments), ...found];
};
