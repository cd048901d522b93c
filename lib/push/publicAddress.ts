/** Decides which IP addresses are public. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The allocated range of IPv6. It excludes `::127.0.0.1` and NAT64, which ipaddr.js may treat as public. */
const ALLOCATED_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** The documentation range (RFC 9637), which ipaddr.js treats as public. */
const DOCUMENTATION_IPV6 = ipaddr.IPv6.parseCIDR("3fff::/20");

/**
 * Public ranges that clouds use for internal services. Other internal services have private, link-local, shared or reserved
 * addresses (192.0.0.192), which ipaddr.js recognizes.
 */
const CLOUD_INTERNAL = [
  // Azure: https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
  "168.63.129.16/32",
  // IBM: https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc
  "161.26.0.0/16",
  "166.8.0.0/14",
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an address belongs to the public internet: not private, loopback, link-local, multicast, reserved or internal to a
 * cloud, and not an IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export const isPublic = (address: string): boolean => {
  // The parser also accepts `127.1` and `0x7f000001`, which cannot be connected to.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv4) return !CLOUD_INTERNAL.some((range) => parsed.match(range));
  return parsed.match(ALLOCATED_IPV6) && !parsed.match(DOCUMENTATION_IPV6);
};
