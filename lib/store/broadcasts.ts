/**
 * Broadcasts in the table: one message to every subscription there is, page by page. A page is a stretch of the list
 * of subscriptions, by hashes of their endpoints, and is worked on in rounds: each is written once, with what it
 * leaves for the next, together with what it adds to the counts. So however often the queue delivers the message of
 * a round, it counts once, and whoever finds it done knows what comes after it.
 */
import * as z from "zod/mini";
import type { Subscription } from "../domain/push.ts";
import type { Put, StoredItem } from "../dynamodb/database.ts";
import { keys } from "./keys.ts";
import { type Entry, entries } from "./lists.ts";
import type { Store } from "./store.ts";
import { parseSubscriptionEntry, subscriptionEntries } from "./subscriptions.ts";

/** How many subscriptions make a page. */
export const PAGE_SIZE = 500;

/** Plans and rounds are kept for a week; in seconds. */
const KEPT = 7 * 24 * 60 * 60;

const expires = (now: number): number => Math.floor(now / 1000) + KEPT;

/** The beginning of the list of subscriptions: before every hash. */
export const LIST_START = "";

const Plan = z.object({
  /** The number of its first page, and the hash after which that begins. */
  first: z.int(),
  after: z.string(),
  pages: z.array(z.object({ upTo: z.nullable(z.string()), planned: z.int() })),
  /** The hash after which planning goes on; `null` at the end of the list. */
  rest: z.nullable(z.string()),
});
export type Plan = z.infer<typeof Plan>;

/** A subscription that is left for a later round: by its endpoint's hash, tried so often, not before an instant. */
const Pending = z.object({ hash: z.string(), tries: z.int(), at: z.number() });
export type Pending = z.infer<typeof Pending>;

const Round = z.object({ pending: z.array(Pending) });

const hashOf = (position: string): string => position.slice(0, position.lastIndexOf("#"));

// An entry's position is its hash, a #, and its id: this is after every id of the hash, and before the next hash.
const afterHash = (hash: string): string | undefined => (hash === LIST_START ? undefined : `${hash}$`);

/** A subscription, and the hash of its endpoint by which it is found. */
export interface HashedSubscription {
  hash: string;
  subscription: Subscription;
}

/** The subscription of an entry, whose position tells its hash. */
export const withHash = (entry: Entry): HashedSubscription => ({
  hash: hashOf(entry.position),
  subscription: parseSubscriptionEntry(entry),
});

/** The subscriptions of a stretch, with the hashes of their endpoints. */
export const subscriptionsBetween = async (
  store: Store,
  after: string,
  upTo: string | null,
): Promise<HashedSubscription[]> => {
  const found: HashedSubscription[] = [];
  const bounds = { after: afterHash(after), before: upTo === null ? undefined : afterHash(upTo) };
  for await (const entry of subscriptionEntries(store, PAGE_SIZE, bounds)) {
    found.push(withHash(entry));
  }
  return found;
};

/**
 * Plans pages of the subscriptions after a hash.
 * @param first the number of the first page
 * @param isLate asked page by page: whether to leave the rest for another plan
 */
export const makePlan = async (
  store: Store,
  { first, after }: Pick<Plan, "first" | "after">,
  isLate: () => boolean,
): Promise<Plan> => {
  const pages: Plan["pages"] = [];
  let planned = 0;
  let last: Entry | null = null;
  for await (const entry of subscriptionEntries(store, 1_000, { after: afterHash(after) })) {
    if (planned === PAGE_SIZE && last !== null) {
      const upTo = hashOf(last.position);
      pages.push({ upTo, planned });
      if (isLate()) return { first, after, pages, rest: upTo };
      planned = 0;
    }
    planned += 1;
    last = entry;
  }
  // Whoever subscribes behind the last while this is delivered hears it too.
  return { first, after, pages: [...pages, { upTo: null, planned }], rest: null };
};

/** How many subscriptions a plan is for. */
export const plannedCount = ({ pages }: Plan): number => pages.reduce((sum, { planned }) => sum + planned, 0);

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

/** The last round of a page that is done: its number, and what it has left. */
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

/** The write by which the end of a broadcast is told once. */
export const endWrite = (id: string, now: number): Put => ({
  put: { ...keys.broadcastEnd(id), expires: expires(now) },
  expect: "absent",
});
