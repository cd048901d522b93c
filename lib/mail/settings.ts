/** Mail settings: where mails are sent, from whom, and how fast. */
import type { Env } from "../runtime/env.ts";
import { outboxFolder } from "../runtime/mailUrl.ts";
import type { KeySource, KeySources } from "../secrets/secrets.ts";

export interface MailSettings {
  /** The source of `MAIL_URL`, which only the worker reads. */
  url: KeySource<string>;
  /** The address of the sender. */
  from: string;
  /** The address of the pages, without a slash at its end. All links begin with it. */
  publicUrl: string;
  /** The most messages in a minute. */
  perMinute: number;
  /** The folder in which a local service stores messages instead of sending them. No deployment has one. */
  outbox?: string;
  /** Certificates (PEM) to trust instead of the default ones. */
  ca?: string;
  /** Milliseconds for the whole message. */
  timeoutMs?: number;
}

/** The folder of a local outbox. What has parameters is deployed, and nobody may read its mails. */
const outboxOf = ({ PARAMETERS, MAIL_URL = "" }: Env): { outbox?: string } => {
  const outbox = PARAMETERS === undefined ? outboxFolder(MAIL_URL) : undefined;
  return outbox === undefined ? {} : { outbox };
};

/** The settings from the environment; `null` if the deployment sends no mail. */
export const mailSettings = (settings: Env, keys: KeySources): MailSettings | null => {
  const { MAIL_FROM: from, PUBLIC_URL: publicUrl, MAIL_PER_MINUTE: perMinute } = settings;
  if (from === undefined || publicUrl === undefined || keys.mailUrl === null) return null;
  return {
    ...{ url: keys.mailUrl, from, perMinute },
    publicUrl: publicUrl.replace(/\/+$/, ""),
    ...outboxOf(settings),
  };
};
