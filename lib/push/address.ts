/** Addresses: which may be connected to, whatever name led there. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All of IPv6 that is given out. Outside lie `::127.0.0.1` and NAT64, which ipaddr.js takes for public or may. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/** Ranges that ipaddr.js takes for public: for documentation (RFC 9637). */
const NOBODYS = ipaddr.IPv6.parseCIDR("3fff::/20");

/**
 * Whether an address is one of the public internet: not private, loopback, link-local, multicast or reserved,
 * and none of IPv6 with an IPv4 address inside (mapped, NAT64, 6to4, Teredo), whatever that one is.
 */
export const isPublic = (address: string): boolean => {
  // The parser also takes `127.1` and `0x7f000001`, and connecting knows neither.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GIVEN_OUT) && !parsed.match(NOBODYS));
};
