/** Reads the deployment's VAPID keys. Only code that sends pushes needs them. */
import type { DeliverySettings, PushSettings } from "../../push/settings.ts";
import { vapidPairs } from "../../secrets/vapidPairs.ts";
import { requireVapidKeys } from "./errors.ts";

/**
 * The push settings, with the deployment's VAPID keys.
 * @throws Fault when it has none
 * @throws DomainError `unavailable` while they cannot be read
 */
export const withVapidKeys = async (push: PushSettings): Promise<DeliverySettings> => {
  const { subject, ...settings } = push;
  const pairs = await vapidPairs(requireVapidKeys(push));
  return { ...settings, vapid: pairs.map((pair) => ({ ...pair, subject })) };
};
