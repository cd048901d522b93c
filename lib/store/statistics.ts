/**
 * The data of interactions that statistics depend on. Data of closed hours is stored in consecutive spans, so that each
 * interaction is read once, however often statistics are requested. A span need not be computed again: a void is an
 * interaction of its own, the tags that wait for their hunter are listed with the span and read until they have one, and
 * another infection that gets a hunter is listed then.
 */
import * as z from "zod/mini";
import type { Game } from "../domain/game/game.ts";
import type { Interaction } from "../domain/hunts/interaction.ts";
import { StatisticsEvent, statisticsEventOf } from "../domain/players/statistics.ts";
import { HOUR, MINUTE } from "../domain/time.ts";
import type { Expectation, StoredItem, Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { RETRY_RESERVE_MS, unavailable } from "./commit.ts";
import { parseInteraction } from "./items.ts";
import { firstIdAt, interactionsList, keys, STATISTICS_LIST } from "./keys.ts";
import { entries, readAll } from "./lists.ts";
import { packJson, unpackJson } from "./packedJson.ts";
import type { Store } from "./store.ts";

/** How long after an hour it is closed: no process writes an interaction with an id that is older than this. */
const CLOSED_AFTER = 5 * MINUTE;
/** Some 60 bytes each: an item has at most 400 KB. */
const MOMENTS_PER_SPAN = 4_000;
const PAGE_SIZE = 1_000;

/** The start of the first span, which sorts before every id. */
const BEGINNING = "0";

const Span = z.looseObject({
  rev: z.int(),
  /** The first id after the span. */
  until: z.string(),
  /** Compressed JSON. */
  moments: z.instanceof(Uint8Array),
  /** The keys of the tags that wait for their hunter. */
  waiting: z.array(z.looseObject({ pk: z.string(), sk: z.string() })),
});

/** A span with its data uncompressed. */
interface UnpackedSpan {
  from: string;
  rev: number;
  until: string;
  moments: StatisticsEvent[];
  waiting: Key[];
}

const parseSpan = async (item: StoredItem): Promise<UnpackedSpan> => {
  const { rev, until, moments, waiting } = Span.parse(item);
  const unpacked = z.array(StatisticsEvent).parse(await unpackJson(moments));
  return { from: item.sk, rev, until, moments: unpacked, waiting };
};

/** Writes a span. A conflict is ignored: another reader has written the same span from the same interactions. */
const writeSpan = async (
  { db }: Store,
  { from, rev, until, moments, waiting }: UnpackedSpan,
  expect: Expectation,
): Promise<void> => {
  const packed = await packJson(moments);
  try {
    await db.put({ ...keys.statistics(from), rev, until, moments: packed, waiting }, expect);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/**
 * The write by which statistics read an interaction again: of one that changes in the transaction, although it did not
 * wait for a hunter. None if no span has it yet.
 */
export const restateWrites = async ({ db }: Store, { pk, sk }: Key): Promise<Write[]> => {
  const list = { partition: () => STATISTICS_LIST, shards: 1, descending: true, before: `${sk}~` };
  for await (const { item } of entries(db, list, 1)) {
    const { rev, until, waiting } = Span.parse(item);
    if (until <= sk) return [];
    return [
      {
        set: { pk: item.pk, sk: item.sk },
        to: { waiting: [...waiting, { pk, sk }] },
        by: { rev: 1 },
        expect: { rev },
      },
    ];
  }
  return [];
};

/**
 * Whether an interaction that is listed with a span has got its hunter, or was voided. A named infection is a hunt; a read
 * of a moment ago can still have the zombie whom a game master made.
 */
const isSettled = ({ kind, waiting_since, voided_by }: Interaction): boolean =>
  voided_by !== undefined || (kind === "hunt" && waiting_since === undefined);

/** Updates the tags of a span that have got their hunter, or were voided, since it was written. */
const updateSpan = async (store: Store, span: UnpackedSpan): Promise<UnpackedSpan> => {
  if (span.waiting.length === 0) return span;
  const found = await store.db.getMany(span.waiting, { consistent: false });
  const settled = found.map(parseInteraction).filter(isSettled);
  if (settled.length === 0) return span;
  const changed = new Map(settled.map((one) => [one.interaction_id, statisticsEventOf(one)]));
  const next: UnpackedSpan = {
    ...span,
    rev: span.rev + 1,
    moments: span.moments.map((moment) => changed.get(moment.id) ?? moment),
    waiting: span.waiting.filter(({ sk }) => !changed.has(sk)),
  };
  await writeSpan(store, next, { rev: span.rev });
  return next;
};

/**
 * The statistics data of all interactions, unordered. Hours that have closed since the last call are stored.
 * @throws DomainError `unavailable` when time runs out; the next call continues
 */
export const readStatisticsEvents = async (
  store: Store,
  { shards }: Game,
  now: number,
  timeLeft: () => number,
): Promise<StatisticsEvent[]> => {
  const items = await readAll(store.db, { partition: () => STATISTICS_LIST, shards: 1 }, PAGE_SIZE);
  const spans = await Promise.all(items.map(async (item) => updateSpan(store, await parseSpan(item))));
  const closed = firstIdAt(Math.floor((now - CLOSED_AFTER) / HOUR) * HOUR);
  const from = spans.at(-1)?.until ?? BEGINNING;
  let span: UnpackedSpan = { from, rev: 1, until: closed, moments: [], waiting: [] };
  const found: StatisticsEvent[] = [];
  const flush = async (until: string): Promise<void> => {
    if (span.moments.length === 0) return;
    await writeSpan(store, { ...span, until }, "absent");
    span = { ...span, from: until, moments: [], waiting: [] };
    if (timeLeft() < RETRY_RESERVE_MS) throw unavailable();
  };
  const list = { partition: interactionsList, shards, after: from };
  for await (const { position, item } of entries(store.db, list, PAGE_SIZE)) {
    const moment = statisticsEventOf(parseInteraction(item));
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
