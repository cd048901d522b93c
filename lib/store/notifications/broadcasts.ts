/**
 * The stored state of broadcasts. A broadcast sends one message to all subscriptions, page by page. A page is a range
 * of the list of subscriptions, ordered by the hashes of their endpoints. It is delivered in rounds. The item of a round is
 * written once, in one transaction with its counts, and contains the subscriptions for the next round. So a round is
 * counted once, even if the queue delivers its message several times: a repeated message continues with the next round.
 */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import type { Subscription } from "../../domain/notifications/push.ts";
import type { Put, StoredItem } from "../../dynamodb/database.ts";
import { keys } from "../keys.ts";
import { type Entry, entries } from "../lists.ts";
import type { Store } from "../store.ts";
import { parseSubscriptionEntry, subscriptionEntries } from "./subscriptions.ts";

/** The number of subscriptions of a page. */
export const PAGE_SIZE = 500;

const TTL_SECONDS = 7 * 24 * 60 * 60;

const expires = (now: number): number => Math.floor(now / 1000) + TTL_SECONDS;

/** The start of the list of subscriptions. It sorts before every hash. */
export const LIST_START = "";

const Plan = z.object({
  /** The number of the plan's first page, and the hash after which that page starts. */
  first: z.int(),
  after: z.string(),
  pages: z.array(z.object({ upTo: z.nullable(z.string()), planned: z.int() })),
  /** The hash after which planning continues; `null` at the end of the list. */
  rest: z.nullable(z.string()),
});
export type Plan = z.infer<typeof Plan>;

/** A subscription for a later round: the hash of its endpoint, the attempts so far, and the earliest time of the next. */
const Pending = z.object({ hash: z.string(), tries: z.int(), at: z.number() });
export type Pending = z.infer<typeof Pending>;

const Round = z.object({ pending: z.array(Pending) });

const hashOf = (position: string): string => position.slice(0, position.lastIndexOf("#"));

// A position is `<hash>#<id>`. The result sorts after every id of the hash and before the next hash.
const afterHash = (hash: string): string | undefined => (hash === LIST_START ? undefined : `${hash}$`);

/** A subscription with the hash of its endpoint. */
export interface HashedSubscription {
  hash: string;
  subscription: Subscription;
}

/** Parses an entry of the list of subscriptions. */
export const withHash = (entry: Entry): HashedSubscription => ({
  hash: hashOf(entry.position),
  subscription: parseSubscriptionEntry(entry),
});

/** The subscriptions after one hash and up to another. @param upTo `null` for the end of the list */
export const subscriptionsBetween = async (
  store: Store,
  game: Game,
  after: string,
  upTo: string | null,
): Promise<HashedSubscription[]> => {
  const found: HashedSubscription[] = [];
  const bounds = { after: afterHash(after), before: upTo === null ? undefined : afterHash(upTo) };
  for await (const entry of subscriptionEntries(store, game, PAGE_SIZE, bounds)) {
    found.push(withHash(entry));
  }
  return found;
};

/**
 * Plans the pages of the subscriptions after a hash.
 * @param first the number of the first page
 * @param isOutOfTime called after each page; `true` leaves the remaining pages to the next plan
 */
export const makePlan = async (
  store: Store,
  game: Game,
  { first, after }: Pick<Plan, "first" | "after">,
  isOutOfTime: () => boolean,
): Promise<Plan> => {
  const pages: Plan["pages"] = [];
  let planned = 0;
  let last: Entry | null = null;
  for await (const entry of subscriptionEntries(store, game, 1_000, { after: afterHash(after) })) {
    if (planned === PAGE_SIZE && last !== null) {
      const upTo = hashOf(last.position);
      pages.push({ upTo, planned });
      if (isOutOfTime()) return { first, after, pages, rest: upTo };
      planned = 0;
    }
    planned += 1;
    last = entry;
  }
  // The last page has no end, so that it includes subscriptions made during the delivery.
  return { first, after, pages: [...pages, { upTo: null, planned }], rest: null };
};

/** The number of subscriptions in a plan. */
export const plannedCount = ({ pages }: Plan): number => pages.reduce((sum, { planned }) => sum + planned, 0);

/** The write that stores a plan. */
export const planWrite = (id: string, number: number, plan: Plan, now: number): Put => ({
  put: { ...plan, ...keys.broadcastPlan(id, number), expires: expires(now) },
  expect: "absent",
});

export const readPlan = async (store: Store, id: string, number: number): Promise<Plan | null> => {
  const item = await store.db.get(keys.broadcastPlan(id, number));
  return item === undefined ? null : Plan.parse(item);
};

export const roundWrite = (
  id: string,
  page: number,
  round: number,
  pending: readonly Pending[],
  now: number,
): Put => ({
  put: { pending, ...keys.broadcastRound(id, page, round), expires: expires(now) },
  expect: "absent",
});

/** The last completed round of a page: its number, and the subscriptions for the next round. */
export const lastRound = async (
  store: Store,
  id: string,
  page: number,
): Promise<{ round: number; pending: Pending[] } | null> => {
  const { pk, sk } = keys.broadcastRound(id, page, 0);
  const prefix = sk.slice(0, sk.lastIndexOf("#") + 1);
  const list = { partition: () => pk, shards: 1, after: prefix, before: `${prefix}~`, descending: true };
  for await (const { item } of entries(store.db, { ...list, consistent: true }, 1)) {
    return { round: roundOf(item), pending: Round.parse(item).pending };
  }
  return null;
};

const roundOf = ({ sk }: StoredItem): number => Number(sk.slice(sk.lastIndexOf("#") + 1));

/** The write that marks the end of a broadcast, so that only one process logs it. */
export const endWrite = (id: string, now: number): Put => ({
  put: { ...keys.broadcastEnd(id), expires: expires(now) },
  expect: "absent",
});
