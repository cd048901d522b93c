/** The faults that the notification endpoints share. */
import { Fault } from "../../domain/domainError.ts";
import type { PushSettings } from "../../push/settings.ts";
import type { KeySource, VapidPair } from "../../secrets/secrets.ts";

/** @throws Fault when the deployment has no VAPID keys */
export const requireVapidKeys = ({ vapid }: PushSettings): KeySource<VapidPair> => {
  if (vapid === null)
    throw new Fault("This deployment has no VAPID keys, so it cannot send push notifications.");
  return vapid;
};
