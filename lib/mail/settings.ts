/** Mail settings: where mails are sent, from whom, and how fast. */
import type { Env } from "../runtime/env.ts";
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
  /** Certificates (PEM) to trust instead of the default ones. */
  ca?: string;
  /** Milliseconds for each step of a connection, and for the whole message. */
  timeoutMs?: number;
}

/** The settings from the environment; `null` if the deployment sends no mail. */
export const mailSettings = (
  { MAIL_FROM: from, PUBLIC_URL: publicUrl, MAIL_PER_MINUTE: perMinute }: Env,
  keys: KeySources,
): MailSettings | null =>
  from === undefined || publicUrl === undefined || keys.mailUrl === null
    ? null
    : { url: keys.mailUrl, from, publicUrl: publicUrl.replace(/\/+$/, ""), perMinute };
