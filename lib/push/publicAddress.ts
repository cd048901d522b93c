/** Addresses: which may be connected to, whatever name led there. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All of IPv6 that is given out. Outside lie `::127.0.0.1` and NAT64, which ipaddr.js takes for public or may. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/** Ranges that ipaddr.js takes for public: for documentation (RFC 9637). */
const NOBODYS = ipaddr.IPv6.parseCIDR("3fff::/20");

/**
 * Addresses of public ranges behind which clouds have services for their own machines. All other such services have
 * private, link-local or shared addresses, or reserved ones (192.0.0.192), which ipaddr.js knows.
 */
const OF_CLOUDS = [
  // Azure: https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
  "168.63.129.16/32",
  // IBM: https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
  "161.26.0.0/16",
  "166.8.0.0/14",
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an address is one of the public internet: not private, loopback, link-local, multicast or reserved, no cloud's own,
 * and none of IPv6 with an IPv4 address inside (mapped, NAT64, 6to4, Teredo), whatever that one is.
 */
export const isPublic = (address: string): boolean => {
  // The parser also takes `127.1` and `0x7f000001`, and connecting knows neither.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv4) return !OF_CLOUDS.some((range) => parsed.match(range));
  return parsed.match(GIVEN_OUT) && !parsed.match(NOBODYS);
};
