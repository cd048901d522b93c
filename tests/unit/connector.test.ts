/** Addresses of push: which may be connected to, and that a name is judged by what it is when connecting. */
import type { LookupAddress } from "node:dns";
import { isIP, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { allowedHosts, checkEndpoint } from "../../lib/push/allowlist.ts";
import { guardedConnector, type Resolver } from "../../lib/push/connector.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { isPublic } from "../../lib/push/publicAddress.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { VAPID_KEYS } from "../support/pushService.ts";
import { makeSubscription } from "../support/webPush.ts";

const PUBLIC = [
  "8.8.8.8",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "142.250.74.106",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "161.25.255.255",
  "161.27.0.0",
  "166.7.255.255",
  "166.12.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450:4001:80f::200a",
  "2620:149:a44:700::1",
];

const NOT_PUBLIC = [
  // IPv4: this machine, neighbours, nobody and everybody
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // The clouds' own services for their machines: metadata, credentials, DNS, health
  "168.63.129.16",
  "169.254.169.253",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.0.23",
  "169.254.42.42",
  "100.100.100.200",
  "192.0.0.192",
  "161.26.0.7",
  "166.8.0.1",
  "166.11.255.255",
  "fd00:ec2::253",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:42::42",
  "fd00:c1::a9fe:a9fe",
  "fe80::a9fe:a9fe",
  "::ffff:168.63.129.16",
  // IPv6: the same
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "100::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  // IPv4 inside, whatever it is
  "::127.0.0.1",
  "::7f00:1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "::ffff:0:127.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::7f00:1",
  "64:ff9b:1:ffff:ffff:ffff:7f00:1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "2001::1",
  "2001:0:7f00:1::1",
  // no addresses at all, to whoever connects
  "",
  " ",
  "127.1",
  "0x7f000001",
  "2130706433",
  "0177.0.0.1",
  "8.8.8",
  "8.8.8.8 ",
  "8.8.8.8/32",
  "[2606:4700::1111]",
  "2606:4700::1111::",
  "localhost",
  "fcm.googleapis.com",
];

describe("an address", () => {
  it("is asked about enough", () => {
    expect(new Set([...PUBLIC, ...NOT_PUBLIC]).size).toBeGreaterThanOrEqual(80);
  });

  it.each(PUBLIC)("%j is public", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each(NOT_PUBLIC)("%j is not", (address) => {
    expect(isPublic(address)).toBe(false);
  });
});

/** A network where names have these addresses, one list after the other, and nothing is ever connected to. */
const network = (answers: string[][]) => {
  const asked: string[] = [];
  const connected: string[] = [];
  const destroyed: string[] = [];
  const resolve: Resolver = (hostname, _options, done) => {
    asked.push(hostname);
    const next = answers.length > 1 ? answers.shift() : answers[0];
    const addresses: LookupAddress[] = (next ?? []).map((address) => ({ address, family: isIP(address) }));
    queueMicrotask(() => done(null, addresses));
  };
  /** Connects as net does: no lookup for a number, and the first address that a lookup tells. */
  const build: NonNullable<Parameters<typeof makeSender>[0]>["build"] =
    (options = {}) =>
    ({ hostname }, done) => {
      const arrive = (address: string): void => {
        connected.push(address);
        const socket = new Socket();
        Object.defineProperty(socket, "remoteAddress", { value: arrival ?? address });
        socket.destroy = () => {
          destroyed.push(address);
          return socket;
        };
        if (refuse) done(Object.assign(new Error("nobody here"), { code: "ECONNREFUSED" }), null);
        else done(null, socket);
      };
      const lookup = "lookup" in options ? options.lookup : undefined;
      if (isIP(hostname) !== 0 || lookup === undefined) {
        arrive(hostname);
        return;
      }
      lookup(hostname, { all: true }, (error, told) => {
        const [first] = Array.isArray(told) ? told : [];
        if (error !== null) done(error, null);
        else if (first === undefined) done(new Error("no address"), null);
        else arrive(first.address);
      });
    };
  let refuse = false;
  let arrival: string | undefined;
  return {
    asked,
    connected,
    destroyed,
    resolve,
    build,
    refuseAll: () => {
      refuse = true;
    },
    arriveAt: (address: string) => {
      arrival = address;
    },
  };
};

/** Connects once. @returns the code of the fault, or where the connection leads */
const connectTo = (net: ReturnType<typeof network>, hostname: string, exempt = false): Promise<unknown> => {
  const connect = guardedConnector({ ...net, exempt, ca: undefined, patience: 1_000 });
  return new Promise((settle) => {
    connect({ hostname, protocol: "https:", port: "443" }, (error, socket) => {
      settle(error === null ? socket.remoteAddress : "code" in error ? error.code : error.message);
    });
  });
};

const REFUSED = "address not allowed";

describe("connecting", () => {
  it("leads to a name whose every address is public", async () => {
    const net = network([["8.8.8.8", "2606:4700::1111"]]);
    expect(await connectTo(net, "push.example")).toBe("8.8.8.8");
  });

  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["10.0.0.1", "8.8.8.8"]],
    [["8.8.8.8", "::1"]],
    [["::ffff:8.8.8.8"]],
    [["fe80::1%eth0"]],
    [[]],
  ])("is refused when any address is not: %j", async (addresses) => {
    const net = network([addresses]);
    expect(await connectTo(net, "push.example")).toBe(REFUSED);
    expect(net.asked).toEqual(["push.example"]);
    expect(net.connected).toEqual([]);
  });

  it.each(["127.0.0.1", "::1", "169.254.169.254", "::ffff:7f00:1", "64:ff9b::7f00:1"])(
    "is refused to the number %s, which nobody looks up",
    async (hostname) => {
      const net = network([["8.8.8.8"]]);
      expect(await connectTo(net, hostname)).toBe(REFUSED);
      expect(net.asked).toEqual([]);
      expect(net.connected).toEqual([]);
    },
  );

  it("leads to a number that is public", async () => {
    const net = network([]);
    expect(await connectTo(net, "8.8.8.8")).toBe("8.8.8.8");
  });

  it("is undone before anything is sent when it has led elsewhere all the same", async () => {
    const net = network([["8.8.8.8"]]);
    net.arriveAt("127.0.0.1");
    expect(await connectTo(net, "push.example")).toBe(REFUSED);
    expect(net.destroyed).toEqual(["8.8.8.8"]);
  });

  it("tells a fault of the lookup as it is", async () => {
    const net = network([]);
    const fault = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    const failing = {
      ...net,
      resolve: (_: string, __: unknown, done: (error: Error, _: []) => void) => done(fault, []),
    };
    expect(await connectTo(failing, "push.example")).toBe("ENOTFOUND");
  });

  it("leads anywhere for a host that is exempt", async () => {
    const net = network([["127.0.0.1"]]);
    expect(await connectTo(net, "127.0.0.1", true)).toBe("127.0.0.1");
  });
});

describe("a name that is public when subscribed, and this machine afterwards", () => {
  const settings = (net: ReturnType<typeof network>) => ({
    vapid: [VAPID_KEYS],
    allowed: allowedHosts("push.example"),
    sender: makeSender({ resolve: net.resolve, build: net.build }),
  });
  const outgoing = { message: Buffer.from("x"), topic: "t", patience: 4_000 };
  const subscription = makeSubscription("https://push.example/x");

  it("is not even resolved when subscribing, and refused when it has changed", async () => {
    const net = network([["8.8.8.8"], ["127.0.0.1"]]);
    net.refuseAll();
    const known = settings(net);
    expect(checkEndpoint(subscription.endpoint, known.allowed)).toHaveProperty("url");
    expect(net.asked).toEqual([]);
    const [first] = await deliver([subscription], outgoing, known);
    expect(first).toMatchObject({ fate: "retry", why: "ECONNREFUSED", tried: true });
    const [second] = await deliver([subscription], outgoing, known);
    expect(second).toMatchObject({ fate: "failed", why: REFUSED, tried: false });
    expect(net.asked).toEqual(["push.example", "push.example"]);
    expect(net.connected).toEqual(["8.8.8.8"]);
  });

  it("does not make the service one to be left alone", async () => {
    const net = network([["127.0.0.1"]]);
    const known = settings(net);
    const many = Array.from({ length: 60 }, () => subscription);
    const deliveries = await deliver(many, outgoing, known);
    expect(new Set(deliveries.map(({ why }) => why))).toEqual(new Set([REFUSED]));
    expect(net.connected).toEqual([]);
  });
});
