/**
 * Known devices and addresses: those from which the account's owner has logged in. Attempts from there are delayed only
 * by failures from there, so that nobody else can lock the owner out (docs/decisions/0035-known-devices.md).
 */
import { randomBytes } from "node:crypto";
import { type BackoffPolicy, withOwnFailure } from "../domain/backoff.ts";
import { DAY } from "../domain/time.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Credential, Device, KnownAddress } from "../store/accounts/accountItems.ts";
import type { ClientAddress } from "./rateLimit.ts";

/** The maximum number of devices and addresses of an account. Beyond that, the least recently used one is dropped. */
const MAX_DEVICES = 20;
const MAX_ADDRESSES = 10;

/** Devices and addresses are dropped after this time without use. */
const KEPT_FOR_MS = 180 * DAY;

/** The short hash of an address, as stored with an account. */
export const addressDigest = ({ address }: ClientAddress): string => sha256(address).slice(0, 12);

/** Characters of base64url, which are 132 bits. */
const HASH_LENGTH = 22;

const hashToken = (token: string): string => sha256(token).slice(0, HASH_LENGTH);

/** Makes a device token of 256 random bits. Only its hash is stored. */
export const makeDeviceToken = (): string => `hvzd1.${randomBytes(32).toString("base64url")}`;

const isKept = ({ used }: { used: number }, now: number): boolean => now < used + KEPT_FOR_MS;

/** The account's device with this token; `null` for an unknown or expired one. */
export const findDevice = (
  credential: Credential | null,
  token: string | null | undefined,
  now: number,
): Device | null => {
  const hash = hashToken(token ?? "");
  return credential?.devices?.find((device) => device.hash === hash && isKept(device, now)) ?? null;
};

/** The device token of an attempt if it is of a known device, otherwise `undefined`. */
export const knownDeviceToken = (
  credential: Credential,
  token: string | null | undefined,
  now: number,
): string | undefined => (findDevice(credential, token, now) === null ? undefined : (token ?? undefined));

/** Whether the account's owner has logged in from this address. */
export const isKnownAddress = (credential: Credential | null, from: string, now: number): boolean =>
  credential?.addresses?.some((address) => address.from === from && isKept(address, now)) === true;

/** Adds an entry, or replaces the same one. Expired entries and the least recently used beyond `max` are dropped. */
const withLatest = <T extends { used: number }>(
  list: readonly T[],
  latest: T,
  isSame: (other: T) => boolean,
  max: number,
): T[] => [
  ...list
    .filter((other) => !isSame(other) && isKept(other, latest.used))
    .toSorted((one, other) => one.used - other.used)
    .slice(1 - max),
  latest,
];

/** The devices of an account after a login from a device, whose failures are cleared. */
export const rememberDevice = ({ devices = [] }: Credential, token: string, now: number): Device[] => {
  const hash = hashToken(token);
  const isSame = (device: Device): boolean => device.hash === hash;
  const { failures: _, ...before } = devices.find(isSame) ?? {};
  return withLatest(devices, { ...before, hash, used: now }, isSame, MAX_DEVICES);
};

/** The known addresses of an account after a login from a known or new one. */
export const rememberAddress = (
  addresses: readonly KnownAddress[],
  from: string,
  now: number,
): KnownAddress[] => {
  const isSame = (address: KnownAddress): boolean => address.from === from;
  return withLatest(addresses, { ...addresses.find(isSame), from, used: now }, isSame, MAX_ADDRESSES);
};

/** The devices of an account after a failed attempt with one of them. */
export const recordDeviceFailure = (
  { devices = [] }: Credential,
  { hash }: Device,
  now: number,
  backoff: BackoffPolicy,
): Device[] =>
  devices.map((device) =>
    device.hash === hash ? { ...device, failures: withOwnFailure(device.failures, now, backoff) } : device,
  );
