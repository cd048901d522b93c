/** How many subscriptions a player has. */
import { expect, it } from "vitest";
import { MAX_SUBSCRIPTIONS, subscriptionsToReplace } from "../../lib/domain/push.ts";

it("a player has ten subscriptions at most; the oldest are replaced, of equally old ones the first by id", () => {
  const browser = { player_id: "p", endpoint: "https://push.example", p256dh: "k", auth: "a" };
  const subscription = (created_at: string, subscription_id: string) => ({
    ...{ subscription_id, created_at, ...browser },
  });
  const own = Array.from({ length: 12 }, (_, n) =>
    subscription(`2026-11-${10 + (n % 4)}`, `s${10 + ((n * 5) % 12)}`),
  );
  expect(MAX_SUBSCRIPTIONS).toBe(10);
  const orderOf = (one: (typeof own)[number]) => `${one.created_at} ${one.subscription_id}`;
  const sorted = own.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  expect(subscriptionsToReplace(own)).toEqual(sorted.slice(0, 3));
  expect(subscriptionsToReplace(sorted.slice(0, 10).toReversed())).toEqual(sorted.slice(0, 1));
  for (const few of [own.slice(0, 9), []]) expect(subscriptionsToReplace(few)).toEqual([]);
});
