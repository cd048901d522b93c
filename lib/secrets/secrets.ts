/** The keys of a deployment and their sources. Each kind is a list: the key in use, older and future ones. */
import type { Env } from "../runtime/env.ts";
import type { DatedKey } from "./rotation.ts";

/** A key that encrypts cursors of lists: 32 bytes, base64url. */
export interface CursorKey extends DatedKey {
  key: string;
}

/** A key of the tokens in mails: 32 bytes, base64url. */
export interface MailKey extends DatedKey {
  key: string;
}

/** A VAPID key pair, which identifies the deployment to push services (RFC 8292): 65 and 32 bytes, base64url. */
export interface VapidPair extends DatedKey {
  publicKey: string;
  privateKey: string;
}

/** A parameter that contains keys, by its name. */
export interface Parameter {
  parameter: string;
  /** Reads the parameter; by default from Systems Manager. */
  read?: ReadParameter;
  /** Returns milliseconds since 1970. */
  clock?: () => number;
}

/** The source of keys: given by the environment, or in a parameter. */
export type KeySource<K> = { given: readonly K[] } | Parameter;

/** The sources of a deployment's keys; `null` for missing ones. */
export interface KeySources {
  cursor: KeySource<CursorKey> | null;
  vapid: KeySource<VapidPair> | null;
  mail: KeySource<MailKey> | null;
  mailUrl: KeySource<string> | null;
}

type Settings = Pick<
  Env,
  | "CURSOR_KEY"
  | "VAPID_PUBLIC_KEY"
  | "VAPID_PRIVATE_KEY"
  | "MAIL_KEY"
  | "MAIL_URL"
  | "MAIL_FROM"
  | "PARAMETERS"
>;

/** Names of parameters under the deployment's path. */
export const CURSOR_KEYS = "cursor-keys";
export const VAPID_KEYS = "vapid-keys";
export const MAIL_KEYS = "mail-keys";
export const MAIL_URL = "mail-url";

/** The sources of keys according to the settings: the environment, or the deployment's parameters. */
export const keySources = (settings: Settings): KeySources => {
  const { CURSOR_KEY: key, VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = settings;
  const { MAIL_KEY: mailKey, MAIL_URL: mailUrl } = settings;
  const parameter = (name: string): Parameter | null =>
    settings.PARAMETERS === undefined ? null : { parameter: `${settings.PARAMETERS}/${name}` };
  // They exist only in a deployment with mail.
  const ofMail = (name: string): Parameter | null =>
    settings.MAIL_FROM === undefined ? null : parameter(name);
  return {
    cursor: key === undefined ? parameter(CURSOR_KEYS) : { given: [{ key, since: 0 }] },
    vapid:
      publicKey === undefined || privateKey === undefined
        ? parameter(VAPID_KEYS)
        : { given: [{ publicKey, privateKey, since: 0 }] },
    mail: mailKey === undefined ? ofMail(MAIL_KEYS) : { given: [{ key: mailKey, since: 0 }] },
    mailUrl: mailUrl === undefined ? ofMail(MAIL_URL) : { given: [mailUrl] },
  };
};

/** Reads a parameter by its name. */
export type ReadParameter = (name: string) => Promise<string>;
