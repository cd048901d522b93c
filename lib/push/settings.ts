/** Push settings: keys, allowed services and trusted certificates. */
import type { Env } from "../runtime/env.ts";
import type { KeySource, VapidPair } from "../secrets/secrets.ts";
import { type AllowedHosts, allowedHosts } from "./allowlist.ts";
import { makeSender, type Sender } from "./sender.ts";
import type { VapidKeys } from "./vapid.ts";

export interface PushSettings {
  /** The source of the key pairs; `null` without keys: push is then switched off. */
  vapid: KeySource<VapidPair> | null;
  /** The contact for push services: a `mailto:` or `https:` address. */
  subject: string;
  allowed: AllowedHosts;
  /** Certificates (PEM) to trust instead of the default ones. */
  ca?: string;
  /** Keeps connections between deliveries; by default each delivery has its own. */
  sender?: Sender;
}

/** The settings of a delivery, with at least one key pair. */
export type DeliverySettings = Omit<PushSettings, "vapid" | "subject"> & { vapid: readonly VapidKeys[] };

/** The settings from the environment. */
export const pushSettings = (
  env: Pick<Env, "VAPID_SUBJECT" | "PUSH_ALLOWED_HOSTS">,
  vapid: KeySource<VapidPair> | null,
): PushSettings => ({
  vapid,
  subject: env.VAPID_SUBJECT,
  allowed: allowedHosts(env.PUSH_ALLOWED_HOSTS),
  sender: makeSender(),
});
