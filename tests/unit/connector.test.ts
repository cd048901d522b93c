/** Addresses that push may connect to, checked when it connects. */
import { isIP, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { allowedHosts, checkEndpoint } from "../../lib/push/allowlist.ts";
import { guardedConnector, type Resolver } from "../../lib/push/connector.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { isPublic } from "../../lib/push/publicAddress.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { VAPID_KEYS } from "../support/pushService.ts";
import { makeSubscription } from "../support/webPush.ts";

const PUBLIC = `8.8.8.8 1.1.1.1 9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.1 142.250.74.106 172.15.255.255
  172.32.0.0 192.167.255.255 192.169.0.0 168.63.129.15 168.63.129.17 161.25.255.255 161.27.0.0 166.7.255.255
  166.12.0.0 223.255.255.255 2606:4700::1111 2a00:1450:4001:80f::200a 2620:149:a44:700::1`.split(/\s+/);

const NOT_PUBLIC = {
  "an IPv4 address of this machine, its network, nobody or everybody": `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255
    100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`,
  "a cloud's own metadata, credentials, DNS or health service": `168.63.129.16 169.254.169.253 169.254.170.2
    169.254.170.23 169.254.0.23 169.254.42.42 100.100.100.200 192.0.0.192 161.26.0.7 166.8.0.1 166.11.255.255
    fd00:ec2::253 fd00:ec2::23 fd20:ce::254 fd00:42::42 fd00:c1::a9fe:a9fe fe80::a9fe:a9fe
    ::ffff:168.63.129.16`,
  "a special IPv6 address": `:: ::1 0:0:0:0:0:0:0:1 100::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 3fff::1
    4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1`,
  "an IPv6 address that holds an IPv4 address": `::127.0.0.1 ::7f00:1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1
    ::ffff:8.8.8.8 0:0:0:0:0:ffff:a9fe:a9fe ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::8.8.8.8
    64:ff9b:1::7f00:1 64:ff9b:1:ffff:ffff:ffff:7f00:1 2002:7f00:1:: 2002:808:808::1 2001::1 2001:0:7f00:1::1`,
  "no address": `127.1 0x7f000001 2130706433 0177.0.0.1 8.8.8 8.8.8.8/32 [2606:4700::1111] 2606:4700::1111::
    localhost fcm.googleapis.com`,
};

it("an address outside of these ranges is public", () => {
  expect(PUBLIC.filter((address) => !isPublic(address))).toEqual([]);
});

it.each(Object.entries(NOT_PUBLIC))("%s is not public", (_, addresses) => {
  expect([...addresses.split(/\s+/), "", " ", "8.8.8.8 "].filter(isPublic)).toEqual([]);
});

/** A network whose names have these addresses, list after list; nothing is really connected to. */
const network = (answers: string[][], { isRefused = false, arrivesAt = "" } = {}) => {
  const lookups: string[] = [];
  const connected: string[] = [];
  const destroyed: string[] = [];
  const resolve: Resolver = (hostname, _options, done) => {
    lookups.push(hostname);
    const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    queueMicrotask(() =>
      done(
        null,
        next.map((address) => ({ address, family: isIP(address) })),
      ),
    );
  };
  /** Connects as net does: no lookup for a number, and the first address of a lookup. */
  const build: NonNullable<Parameters<typeof makeSender>[0]>["build"] =
    (options = {}) =>
    ({ hostname }, done) => {
      const arrive = (address: string): void => {
        connected.push(address);
        if (isRefused) {
          done(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), null);
          return;
        }
        const socket = new Socket();
        Object.defineProperty(socket, "remoteAddress", { value: arrivesAt || address });
        socket.once("close", () => destroyed.push(address));
        done(null, socket);
      };
      const lookup = "lookup" in options ? options.lookup : undefined;
      if (isIP(hostname) !== 0 || lookup === undefined) return arrive(hostname);
      lookup(hostname, { all: true }, (error, found) => {
        const [first] = Array.isArray(found) ? found : [];
        if (first === undefined) done(error ?? new Error("no address"), null);
        else arrive(first.address);
      });
    };
  return { lookups, connected, destroyed, resolve, build };
};

/** Connects once. @returns the error's code, or the address that was connected to */
const connectTo = (net: ReturnType<typeof network>, hostname: string): Promise<unknown> => {
  const connect = guardedConnector({ ...net, exempt: false, ca: undefined, timeoutMs: 1_000 });
  return new Promise((settle) => {
    connect({ hostname, protocol: "https:", port: "443" }, (error, socket) => {
      settle(error === null ? socket.remoteAddress : "code" in error ? error.code : error.message);
    });
  });
};

const REJECTED = "address not allowed";

describe("connecting", () => {
  it.each<readonly [hostname: string, addresses: string, to: string]>([
    ["push.example", "8.8.8.8 2606:4700::1111", "8.8.8.8"],
    ["8.8.8.8", "", "8.8.8.8"],
    ["push.example", "", REJECTED],
    ...["127.0.0.1", "8.8.8.8 127.0.0.1", "10.0.0.1 8.8.8.8", "::ffff:8.8.8.8", "fe80::1%eth0"].map(
      (addresses) => ["push.example", addresses, REJECTED] as const,
    ),
    ...["127.0.0.1", "::1", "169.254.169.254", "64:ff9b::7f00:1"].map(
      (ip) => [ip, "8.8.8.8", REJECTED] as const,
    ),
  ])(
    "to %s, which has the addresses %j, leads to %s, and looks up names alone",
    async (hostname, addresses, to) => {
      const net = network([addresses.match(/\S+/g) ?? []]);
      expect(await connectTo(net, hostname)).toBe(to);
      expect(net.lookups).toEqual(isIP(hostname) === 0 ? [hostname] : []);
      expect(net.connected).toEqual(to === REJECTED ? [] : [to]);
    },
  );

  it("is ended before anything is sent when the socket has another address", async () => {
    const net = network([["8.8.8.8"]], { arrivesAt: "127.0.0.1" });
    expect(await connectTo(net, "push.example")).toBe(REJECTED);
    await expect.poll(() => net.destroyed).toEqual(["8.8.8.8"]);
  });
});

it("a name is resolved at a delivery only, and is rejected if it then leads to this machine", async () => {
  const outgoing = { message: Buffer.from("x"), topic: "t", timeoutMs: 4_000 };
  const subscription = makeSubscription("https://push.example/x");
  const net = network([["8.8.8.8"], ["127.0.0.1"]], { isRefused: true });
  const known = { vapid: [VAPID_KEYS], allowed: allowedHosts("push.example"), sender: makeSender(net) };
  expect(checkEndpoint(subscription.endpoint, known.allowed)).toHaveProperty("url");
  expect(net.lookups).toEqual([]);
  const [first] = await deliver([subscription], outgoing, known);
  expect(first).toMatchObject({ result: "retry", why: "ECONNREFUSED", tried: true });
  // Rejected addresses do not open the circuit breaker.
  const rest = await deliver(Array(60).fill(subscription), outgoing, known);
  const rejected = { subscription, result: "failed", why: REJECTED, wait: 0, tried: false };
  expect(rest).toEqual(Array(60).fill(rejected));
  expect(net.connected).toEqual(["8.8.8.8"]);
});
