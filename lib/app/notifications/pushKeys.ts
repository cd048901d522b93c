/** What pushes needs the deployment's keys for: they are fetched for that alone. */
import type { DeliverySettings, PushSettings } from "../../push/settings.ts";
import { vapidPairs } from "../../secrets/vapidPairs.ts";
import { requireVapidKeys } from "./errors.ts";

/**
 * The settings of push with the deployment's keys.
 * @throws Failure 500 where it has none; DomainError `unavailable` while they cannot be had
 */
export const withVapidKeys = async (push: PushSettings): Promise<DeliverySettings> => {
  const { subject, ...settings } = push;
  const pairs = await vapidPairs(requireVapidKeys(push));
  return { ...settings, vapid: pairs.map((pair) => ({ ...pair, subject })) };
};
