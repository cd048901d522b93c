/**
 * Known devices and addresses: where the account's password was given before. An attempt from there waits for failures of
 * its own and not for anybody else's, so that nobody can lock the owner out (docs/decisions/0035-known-devices.md).
 */
import { createHash, randomBytes } from "node:crypto";
import { type BackoffPolicy, withOwnFailure } from "../domain/backoff.ts";
import { DAY } from "../domain/time.ts";
import type { Credential, Device, KnownAddress } from "../store/items.ts";

/** An account has at most so many; the least recently used gives way. */
const MOST_DEVICES = 20;
const MOST_ADDRESSES = 10;

/** Without use for so long, in milliseconds, a device or an address is forgotten. */
const KEPT_FOR = 180 * DAY;

/** So much of a digest in base64url has 132 bits. */
const HASH_LENGTH = 22;

const hashOf = (token: string): string =>
  createHash("sha256").update(token).digest("base64url").slice(0, HASH_LENGTH);

/** A new device token: 256 random bits. Only its hash is stored. */
export const makeDeviceToken = (): string => `hvzd1.${randomBytes(32).toString("base64url")}`;

const isKept = ({ used }: { used: number }, now: number): boolean => now < used + KEPT_FOR;

/** The account's device with this token; `null` where there is none, or it was not used for too long. */
export const findDevice = (
  credential: Credential | null,
  token: string | null | undefined,
  now: number,
): Device | null => {
  const hash = hashOf(token ?? "");
  return credential?.devices?.find((device) => device.hash === hash && isKept(device, now)) ?? null;
};

/** The device token that came with an attempt, where the account knows it. */
export const knownDeviceToken = (
  credential: Credential,
  token: string | null | undefined,
  now: number,
): string | undefined => (findDevice(credential, token, now) === null ? undefined : (token ?? undefined));

/** Whether the account's password was given at this address before. */
export const isKnownAddress = (credential: Credential | null, from: string, now: number): boolean =>
  credential?.addresses?.some((address) => address.from === from && isKept(address, now)) === true;

/** A list with one more entry in the place of those like it; the least recently used are dropped. */
const withLatest = <T extends { used: number }>(
  list: readonly T[],
  latest: T,
  isSame: (other: T) => boolean,
  most: number,
): T[] => [
  ...list
    .filter((other) => !isSame(other) && isKept(other, latest.used))
    .toSorted((one, other) => one.used - other.used)
    .slice(1 - most),
  latest,
];

/** The devices of an account after one of them was used, or a new one was made. */
export const rememberDevice = ({ devices = [] }: Credential, token: string, now: number): Device[] => {
  const hash = hashOf(token);
  const isSame = (device: Device): boolean => device.hash === hash;
  const { failures: _, ...before } = devices.find(isSame) ?? {};
  return withLatest(devices, { ...before, hash, used: now }, isSame, MOST_DEVICES);
};

/** The known addresses of an account after the password was given at one of them, or at a new one. */
export const rememberAddress = (
  addresses: readonly KnownAddress[],
  from: string,
  now: number,
): KnownAddress[] => {
  const isSame = (address: KnownAddress): boolean => address.from === from;
  return withLatest(addresses, { ...addresses.find(isSame), from, used: now }, isSame, MOST_ADDRESSES);
};

/** The devices of an account after a failure with one of them. */
export const recordDeviceFailure = (
  { devices = [] }: Credential,
  { hash }: Device,
  now: number,
  backoff: BackoffPolicy,
): Device[] =>
  devices.map((device) =>
    device.hash === hash ? { ...device, failures: withOwnFailure(device.failures, now, backoff) } : device,
  );
