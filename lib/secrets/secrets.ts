/** The keys of a deployment, each kind as a list: the one that is used, and those that are still good. */

import type { Env } from "../runtime/env.ts";

import type { DatedKey } from "./rotation.ts";

/** A key that cursors of lists are encrypted with: 32 bytes, base64url. */
export interface CursorKey extends DatedKey {
  key: string;
}

/** A key pair by which push services know this deployment (RFC 8292): 65 and 32 bytes, base64url. */
export interface VapidPair extends DatedKey {
  publicKey: string;
  privateKey: string;
}

/** The parameter that holds keys, by its name. */
export interface Parameter {
  parameter: string;
  /** How it is read; from Systems Manager when absent. */
  read?: ReadParameter;
  /** Milliseconds since 1970; the machine's when absent. */
  clock?: () => number;
}

/** Where keys come from. */
export type KeySource<K> = { given: readonly K[] } | Parameter;

/** Where the keys of a deployment come from; `null` for those that it has not. */
export interface KeySources {
  cursor: KeySource<CursorKey> | null;
  vapid: KeySource<VapidPair> | null;
}

type Settings = Pick<Env, "CURSOR_KEY" | "VAPID_PUBLIC_KEY" | "VAPID_PRIVATE_KEY" | "PARAMETERS">;

/** Names of parameters below the deployment's own path. */
export const CURSOR_KEYS = "cursor-keys";
export const VAPID_KEYS = "vapid-keys";

/** Where the settings say that keys are: in the environment, or in the deployment's parameters. */
export const keySources = (settings: Settings): KeySources => {
  const { CURSOR_KEY: key, VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = settings;
  const parameter = (name: string): Parameter | null =>
    settings.PARAMETERS === undefined ? null : { parameter: `${settings.PARAMETERS}/${name}` };
  return {
    cursor: key === undefined ? parameter(CURSOR_KEYS) : { given: [{ key, since: 0 }] },
    vapid:
      publicKey === undefined || privateKey === undefined
        ? parameter(VAPID_KEYS)
        : { given: [{ publicKey, privateKey, since: 0 }] },
  };
};

/** Reads a parameter by its name. */
export type ReadParameter = (name: string) => Promise<string>;
