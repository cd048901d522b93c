/** What push works with: the deployment's keys, the services that it may call, and whom it trusts there. */
import type { Env } from "../env.ts";
import { type AllowedHosts, allowedHosts } from "./guard.ts";
import { makeSender, type Sender } from "./sender.ts";

/** The key pair by which push services know this deployment (RFC 8292), and whom they may write to. */
export interface VapidKeys {
  /** 65 and 32 bytes, base64url. */
  publicKey: string;
  privateKey: string;
  /** A `mailto:` or `https:` address. */
  subject: string;
}

export interface PushSettings {
  /** `null` where the deployment has none: then nothing can be pushed. */
  vapid: VapidKeys | null;
  allowed: AllowedHosts;
  /** Certificates (PEM) that are trusted in the place of the usual ones; those when absent. */
  ca?: string;
  /** Keeps connections, and what is known of the services, between deliveries; when absent, each has its own. */
  sender?: Sender;
}

/** The settings that the environment asks for. */
export const pushSettings = (env: Env): PushSettings => {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = env;
  return {
    vapid: publicKey === undefined || privateKey === undefined ? null : { publicKey, privateKey, subject },
    allowed: allowedHosts(env.PUSH_ALLOWED_HOSTS),
    sender: makeSender(),
  };
};
