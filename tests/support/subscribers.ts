/** Subscriptions by the thousand, put straight into the table. */
import { randomUUID } from "node:crypto";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys, subscriptionsList } from "../../lib/store/keys.ts";
import { endpointHash } from "../../lib/store/notifications/subscriptions.ts";
import type { TestEnvironment } from "./service.ts";
import { fill } from "./table.ts";
import { makeBrowser } from "./webPush.ts";

/** The keys of all subscriptions: making a pair for each would take longer than the test. */
const { p256dh, auth } = makeBrowser();

/** Puts subscriptions into a table, each with its guard. */
export const fillSubscriptions = async (
  place: ReturnType<TestEnvironment["place"]>,
  origin: string,
  wanted: readonly { playerId: string; path: string }[],
): Promise<void> => {
  const created_at = new Date(0).toISOString();
  const items = wanted.flatMap(({ playerId, path }): StoredItem[] => {
    const endpoint = `${origin}${path}`;
    const hash = endpointHash(endpoint);
    const subscription_id = randomUUID();
    return [
      {
        ...{ subscription_id, player_id: playerId, endpoint, p256dh, auth, created_at },
        ...keys.subscription(playerId, hash),
        gsi1pk: subscriptionsList(0),
        gsi1sk: `${hash}#${subscription_id}`,
      },
      { ...keys.endpoint(hash), player_id: playerId, subscription_id },
    ];
  });
  await fill(place, items);
};
