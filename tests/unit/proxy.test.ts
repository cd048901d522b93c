/** Requests through a proxy: the secret that they need, and the client's address. */
import { beforeEach, expect, it, vi } from "vitest";
import { sha256 } from "../../lib/runtime/sha256.ts";
import { gatewayEvent } from "../../scripts/local/inProcess.ts";

const SECRET = "s".repeat(32);

/** Reads the address of a request that the gateway saw from 192.0.2.1, in a process with its own environment. */
const addressOf = async (hash: string, headers: Record<string, string>) => {
  vi.stubEnv("PROXY_SECRET_HASH", hash);
  vi.resetModules();
  const { sourceAddress } = await import("../../lib/http/proxy.ts");
  const event = gatewayEvent({ route: "GET /health", path: "/health", address: "192.0.2.1", headers });
  return sourceAddress(event, headers);
};
beforeEach(() => vi.unstubAllEnvs());

it.each([
  ["without a proxy, that of the gateway, whatever the headers say", "", "203.0.113.7:443", "192.0.2.1"],
  ["with a proxy, its client's", sha256(SECRET), "203.0.113.7:46532", "203.0.113.7"],
  ["with a proxy and IPv6", sha256(SECRET), "2001:db8:0:1::7:443", "2001:db8:0:1::7"],
])("the address is %s", async (_, hash, viewer, address) => {
  const headers = { "x-proxy-secret": SECRET, "cloudfront-viewer-address": viewer };
  expect(await addressOf(hash, headers)).toBe(address);
});

it.each([{}, { "x-proxy-secret": "" }, { "x-proxy-secret": `${SECRET}, ${SECRET}` }])(
  "with a proxy, a request with the headers %j is rejected",
  async (headers) => {
    const viewer = { "cloudfront-viewer-address": "203.0.113.7:1" };
    const rejected = { code: "not_found", message: expect.stringContaining("not for clients") };
    await expect(addressOf(sha256(SECRET), { ...headers, ...viewer })).rejects.toMatchObject(rejected);
  },
);
