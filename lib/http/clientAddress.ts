/** The address that counts as one client. */
import { isIPv4, isIPv6 } from "node:net";
import type { ClientAddress } from "../auth/rateLimit.ts";

const NETWORK_GROUPS = 4;
const MAPPED = /^0:0:0:0:0:ffff:([0-9a-f]+):([0-9a-f]+)$/;

/** The eight groups of an IPv6 address, without leading zeros. */
const groupsOf = (address: string): string[] => {
  const [withoutZone = ""] = address.split("%");
  const canonical = new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1);
  const [head = "", tail = ""] = canonical.split("::");
  const before = head.split(":").filter(Boolean);
  const after = tail.split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after];
};

const octetsOf = (group: string): number[] => {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
};

/**
 * Returns the address that counts as one client: an IPv4 address, including one that is mapped into IPv6, or the /64 of
 * an IPv6 address, which providers assign to one household or machine. Requests through a gateway never come from
 * loopback.
 */
export const clientAddress = (address: string | undefined): ClientAddress => {
  if (address === undefined || (!isIPv4(address) && !isIPv6(address))) {
    return { address: "unknown", isLoopback: false };
  }
  if (isIPv4(address)) return { address, isLoopback: address.startsWith("127.") };
  const groups = groupsOf(address);
  const full = groups.join(":");
  const [, high, low] = MAPPED.exec(full) ?? [];
  if (high !== undefined && low !== undefined) {
    return clientAddress([...octetsOf(high), ...octetsOf(low)].join("."));
  }
  const network = groups.slice(0, NETWORK_GROUPS).join(":");
  return { address: `${network}::/64`, isLoopback: full === "0:0:0:0:0:0:0:1" };
};
