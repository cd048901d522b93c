/** What push works with: the deployment's keys, the services that it may call, and whom it trusts there. */

import type { Env } from "../runtime/env.ts";
import type { KeySource, VapidPair } from "../secrets/secrets.ts";
import { type AllowedHosts, allowedHosts } from "./allowlist.ts";
import { makeSender, type Sender } from "./sender.ts";
import type { VapidKeys } from "./vapid.ts";

export interface PushSettings {
  /** Where the key pairs are; `null` where the deployment has none: then nothing can be pushed. */
  vapid: KeySource<VapidPair> | null;
  /** Whom push services may write to: a `mailto:` or `https:` address. */
  subject: string;
  allowed: AllowedHosts;
  /** Certificates (PEM) that are trusted in the place of the usual ones; those when absent. */
  ca?: string;
  /** Keeps connections, and what is known of the services, between deliveries; when absent, each has its own. */
  sender?: Sender;
}

/** The same with the keys themselves, of which there is at least one. */
export type DeliverySettings = Omit<PushSettings, "vapid" | "subject"> & { vapid: readonly VapidKeys[] };

/** The settings that the environment asks for. */
export const pushSettings = (
  env: Pick<Env, "VAPID_SUBJECT" | "PUSH_ALLOWED_HOSTS">,
  vapid: KeySource<VapidPair> | null,
): PushSettings => ({
  vapid,
  subject: env.VAPID_SUBJECT,
  allowed: allowedHosts(env.PUSH_ALLOWED_HOSTS),
  sender: makeSender(),
});
