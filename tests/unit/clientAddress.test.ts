/** Client addresses, in the form in which attempts are counted. */
import { expect, it } from "vitest";
import { clientAddress } from "../../lib/http/clientAddress.ts";

it.each([
  ["203.0.113.7", "203.0.113.7", false],
  ["127.0.0.1", "127.0.0.1", true],
  ["127.8.9.1", "127.8.9.1", true],
  ["::1", "0:0:0:0::/64", true],
  ["::2", "0:0:0:0::/64", false],
  ["::ffff:203.0.113.7", "203.0.113.7", false],
  ["::ffff:7f00:1", "127.0.0.1", true],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64", false],
  ["2001:db8::9", "2001:db8:0:0::/64", false],
  ["fe80::1%eth0", "fe80:0:0:0::/64", false],
  ["", "unknown", false],
  ["127.1", "unknown", false],
  ["localhost", "unknown", false],
  ["203.0.113.7, 127.0.0.1", "unknown", false],
  [undefined, "unknown", false],
])("%s counts as %s", (sent, address, isLoopback) => {
  expect(clientAddress(sent)).toEqual({ address, isLoopback });
});
