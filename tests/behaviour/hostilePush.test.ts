/**
 * Hostile push services, on this machine and over TLS: whatever they do, every message has a result, memory stays flat,
 * and messages to a well-behaved service are not delayed.
 */
import type { Server, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { afterEach, expect, it } from "vitest";
import type { Subscription } from "../../lib/domain/push.ts";
import { SECOND } from "../../lib/domain/time.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { type Delivery, deliver, type Outgoing } from "../../lib/push/deliver.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { QUICK } from "../support/battery.ts";
import { makeCertificate } from "../support/certificate.ts";
import { listen } from "../support/listen.ts";
import { startPushService, VAPID_KEYS } from "../support/pushService.ts";
import { makeBrowser, makeSubscription } from "../support/webPush.ts";

const CERTIFICATE = makeCertificate();
const FOR_ANOTHER = makeCertificate("push.example");
const OF_NOBODY = makeCertificate();

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Lets a server listen until the test has ended. @returns its port */
const open = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  const port = await listen(server);
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
};

/** What a service does on a request of a connection, which it may also reset. */
type Behaviour = (socket: TLSSocket, reset: () => void) => unknown;

interface Hostile {
  port: number;
  requests: () => number;
}

/** A service that reads requests correctly, and responds with any bytes. */
const startHostile = async (behave: Behaviour, certificate = CERTIFICATE): Promise<Hostile> => {
  let requests = 0;
  const plain = new Map<number | undefined, Socket>();
  const server = createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (socket) => {
    // TLS alone cannot reset.
    const reset = (): void => void plain.get(socket.remotePort)?.resetAndDestroy();
    let read = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      read = Buffer.concat([read, chunk]);
      for (;;) {
        const head = read.indexOf("\r\n\r\n");
        if (head < 0) return;
        const [, length = "0"] = /content-length: (\d+)/i.exec(read.toString("latin1", 0, head)) ?? [];
        const end = head + 4 + Number(length);
        if (read.length < end) return;
        read = read.subarray(end);
        requests += 1;
        behave(socket, reset);
      }
    });
  });
  server.on("connection", (socket) => plain.set(socket.remotePort, socket));
  return { port: await open(server), requests: () => requests };
};

const CREATED = "HTTP/1.1 201 Created\r\n";
const EMPTY = `${CREATED}content-length: 0\r\n\r\n`;

/** Writes without end, as fast as it is read. @returns how much has been read, in bytes */
const flood = (chunk: Buffer) => {
  let taken = 0;
  const on = (socket: TLSSocket): void => {
    if (socket.destroyed) return;
    socket.write(chunk, () => {
      taken += chunk.length;
      setImmediate(() => on(socket));
    });
  };
  return { on, taken: () => taken };
};

/** Writes the beginning of a response, and then a byte each second. */
const drip = (socket: TLSSocket, beginning: string): void => {
  socket.write(beginning);
  const timer = setInterval(() => socket.write("x"), SECOND);
  socket.on("close", () => clearInterval(timer));
};

const { p256dh, auth } = makeBrowser();
const subscribed = (port: number, count: number): Subscription[] =>
  Array.from({ length: count }, (_, n) =>
    makeSubscription(`https://127.0.0.1:${port}/${n}`, { p256dh, auth }),
  );

const settingsFor = (ports: readonly number[]) => ({
  vapid: [VAPID_KEYS],
  allowed: allowedHosts(ports.map((port) => `127.0.0.1:${port}`).join(", ")),
  ca: CERTIFICATE.cert,
  sender: makeSender(),
});

const outgoing = (timeoutMs: number): Outgoing => ({ message: Buffer.from("Curfew"), topic: "t", timeoutMs });

/** The results of the messages to one service, and how many there are of each. */
const resultsFor = (deliveries: readonly Delivery[], port: number): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { result, why, tried, subscription } of deliveries) {
    if (!subscription.endpoint.includes(`:${port}/`)) continue;
    const what = `${result} ${why}${tried ? "" : " untried"}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
};

const memory = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** The subscriptions of several services, interleaved. */
const mixed = (lists: readonly Subscription[][]): Subscription[] => {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, n) => lists.flatMap((list) => list.slice(n, n + 1))).flat();
};

/** The result of a message whose deadline has passed, or that was not tried because those of others had. */
const LATE = /^retry (no response in time|no time left|circuit open)/;

// Few enough for a busy machine: deadlines are in real time, and this process serves all of them.
const FEW = 4;
const MANY = 120;
const MEGABYTE = 1_000_000;

// Its deadlines are real ones: not at quick scale.
it.skipIf(QUICK)(
  "hostile push services all at once delay nobody, cost no memory, and leave no message without a result",
  async () => {
    const events: string[] = [];
    const endless = flood(Buffer.alloc(65_536, "x"));
    const headers = flood(Buffer.from("x-header: 0123456789abcdef\r\n".repeat(2_000)));
    // What each does, and the results of its messages.
    const OTHERS: [expected: RegExp, behave: Behaviour, certificate?: typeof CERTIFICATE][] = [
      [
        /^sent 201$/,
        (socket) => {
          socket.write(`${CREATED}transfer-encoding: chunked\r\n\r\nfffffff\r\n`);
          endless.on(socket);
        },
      ],
      [/^sent 201$/, (socket) => drip(socket, `${CREATED}content-length: 1000\r\n\r\n`)],
      [LATE, (socket) => drip(socket, `${CREATED}x-head: `)],
      [/^retry UND_ERR_HEADERS_OVERFLOW$/, (socket) => socket.write(CREATED, () => headers.on(socket))],
      // What the system reports of a reset differs.
      [/^retry (ECONN|UND_ERR_SOCKET|ERR_SSL|EPIPE)/, (socket, reset) => socket.write(CREATED, reset)],
      [
        /^sent 201$/,
        (socket, reset) =>
          socket.write(`${CREATED}content-length: 1000\r\n\r\nx`, () => setTimeout(reset, 200)),
      ],
      [/^retry HTTPParserError$/, (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
      [
        /^sent 201$/,
        (socket) => socket.write(`${"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(50)}${EMPTY}`),
      ],
    ];
    // Nothing is sent to a service whose certificate is not its own.
    const IMPOSTORS: typeof OTHERS = [
      [/^retry ERR_TLS_CERT_ALTNAME_INVALID$/, (socket) => socket.write(EMPTY), FOR_ANOTHER],
      [/^retry DEPTH_ZERO_SELF_SIGNED_CERT$/, (socket) => socket.write(EMPTY), OF_NOBODY],
    ];
    const start = (all: typeof OTHERS) =>
      Promise.all(
        all.map(async ([expected, behave, certificate]) => ({
          expected,
          ...(await startHostile(behave, certificate)),
        })),
      );
    const silent = await startHostile((socket) => {
      socket.on("close", () => events.push("given up"));
    });
    const [others, impostors] = [await start(OTHERS), await start(IMPOSTORS)];
    const all = [...others, ...impostors];
    const ports = all.map(({ port }) => port);
    const good = await startPushService(CERTIFICATE);
    stops.push(good.stop);
    good.onReceived(() => events.push("received"));

    const subscriptions = mixed([
      ...ports.map((port) => subscribed(port, FEW)),
      subscribed(silent.port, 40),
      subscribed(good.port, MANY),
    ]);
    const settings = settingsFor([...ports, silent.port, good.port]);
    // Trusted, so that only its name is wrong.
    const ca = `${CERTIFICATE.cert}${FOR_ANOTHER.cert}`;
    const before = memory();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, memory());
    }, 50);
    const deliveries = await deliver(subscriptions, outgoing(9.5 * SECOND), { ...settings, ca });
    clearInterval(watch);

    // Every message has a result, in its place.
    expect(deliveries.map(({ subscription }) => subscription)).toEqual(subscriptions);
    let late = 0;
    for (const { expected, port } of all) {
      const results = Object.entries(resultsFor(deliveries, port));
      expect(results.reduce((sum, [, count]) => sum + count, 0)).toBe(FEW);
      for (const [result, count] of results) {
        if (expected.test(result)) continue;
        expect(result, String(expected)).toMatch(LATE);
        late += count;
      }
    }
    // Deadlines are in real time: on a busy machine some messages miss theirs.
    expect(late).toBeLessThan((ports.length * FEW) / 2);
    // Sixteen hang until their deadline, then as many more; the rest is not tried when the time is up.
    const toSilent = Object.entries(resultsFor(deliveries, silent.port));
    for (const [result] of toSilent) expect(result).toMatch(LATE);
    const tried = toSilent.filter(([result]) => !result.endsWith("untried")).map(([, count]) => count);
    expect(settings.sender.inFlight).toBe(0);
    expect(tried[0]).toBeGreaterThanOrEqual(16);
    expect(tried[0]).toBeLessThanOrEqual(32);
    expect(silent.requests()).toBeLessThanOrEqual(32);
    for (const impostor of impostors) expect(impostor.requests()).toBe(0);

    // The well-behaved service did not wait until the first that hung was given up.
    const { "sent 201": sent = 0, ...missed } = resultsFor(deliveries, good.port);
    for (const result of Object.keys(missed)) expect(result).toMatch(LATE);
    expect(sent).toBeGreaterThan(MANY / 2);
    expect(events.indexOf("given up")).toBeGreaterThan(MANY / 2);

    // Beyond the sockets' buffers nothing was read or kept.
    expect(endless.taken()).toBeLessThan(FEW * 8 * MEGABYTE);
    expect(headers.taken()).toBeLessThan(FEW * 8 * MEGABYTE);
    expect(most - before).toBeLessThan(150 * MEGABYTE);
  },
);

it("each message to services that close connections under load is sent once, or returned for a retry", async () => {
  let count = 0;
  const closing = await startHostile((socket) => {
    count += 1;
    if (count % 3 !== 0) socket.write(EMPTY);
    else socket.end(`${CREATED}connection: close\r\ncontent-length: 0\r\n\r\n`);
  });
  const abrupt = await startHostile((socket) => {
    count += 1;
    socket.write(EMPTY, () => count % 3 === 0 && socket.destroy());
  });
  const settings = settingsFor([closing.port, abrupt.port]);
  const subscriptions = mixed([subscribed(closing.port, MANY), subscribed(abrupt.port, MANY)]);
  const deliveries = await deliver(subscriptions, outgoing(60 * SECOND), settings);
  expect(deliveries.map(({ subscription }) => subscription)).toEqual(subscriptions);
  for (const { result } of deliveries) expect(["sent", "retry"]).toContain(result);
  for (const { port, requests } of [closing, abrupt]) {
    const { "sent 201": sent = 0 } = resultsFor(deliveries, port);
    expect(sent).toBeGreaterThan(MANY / 2);
    expect(requests()).toBeGreaterThanOrEqual(sent);
    expect(requests()).toBeLessThanOrEqual(MANY);
  }
  expect(settings.sender.inFlight).toBe(0);
});
