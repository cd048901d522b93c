/** Subscriptions by the thousand, put straight into the table. */
import { randomUUID } from "node:crypto";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys, subscriptionsList } from "../../lib/store/keys.ts";
import { endpointHash } from "../../lib/store/subscriptions.ts";
import type { TestEnvironment } from "./service.ts";
import { fill } from "./table.ts";
import { type Browser, makeBrowser } from "./webPush.ts";

/** A pair of keys for each subscription would take longer than the test: this many browsers take turns. */
const BROWSERS: Browser[] = [];
const MAX_BROWSERS = 50;

/** The browser of the n-th subscription. */
export const browserAt = (n: number): Browser => {
  const at = n % MAX_BROWSERS;
  BROWSERS[at] ??= makeBrowser();
  return BROWSERS[at];
};

/** Puts subscriptions into a table, each with its guard by default. */
export const fillSubscriptions = async (
  place: ReturnType<TestEnvironment["place"]>,
  origin: string,
  wanted: readonly { playerId: string; path: string; origin?: string; guarded?: boolean }[],
): Promise<void> => {
  const created_at = new Date(0).toISOString();
  const items = wanted.flatMap(
    ({ playerId, path, origin: own = origin, guarded = true }, n): StoredItem[] => {
      const { p256dh, auth } = browserAt(n);
      const endpoint = `${own}${path}`;
      const hash = endpointHash(endpoint);
      const subscription_id = randomUUID();
      return [
        {
          ...{ subscription_id, player_id: playerId, endpoint, p256dh, auth, created_at },
          ...keys.subscription(playerId, hash),
          gsi1pk: subscriptionsList(0),
          gsi1sk: `${hash}#${subscription_id}`,
        },
        ...(guarded ? [{ ...keys.endpoint(hash), player_id: playerId, subscription_id }] : []),
      ];
    },
  );
  await fill(place, items);
};
