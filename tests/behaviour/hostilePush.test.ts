/**
 * Hostile push services, on this machine and over TLS: whatever they do, every message has a result, little is read, and
 * messages to a well-behaved service are not delayed.
 */
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { SECOND } from "../../lib/domain/time.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { QUICK } from "../support/battery.ts";
import { makeCertificate } from "../support/certificate.ts";
import {
  type PushService,
  type Responder,
  startPushService,
  status,
  VAPID_KEYS,
} from "../support/pushService.ts";
import { makeBrowser, makeSubscription } from "../support/webPush.ts";

const CERTIFICATE = makeCertificate();
const FOR_ANOTHER = makeCertificate("push.example");
const OF_NOBODY = makeCertificate();
const KEYS = makeBrowser();

// Few enough for a busy machine: deadlines are in real time, and this process serves all of them.
const FEW = 4;
const MANY = 120;
const MEGABYTE = 1_000_000;

/** A service that responds to every message like this, until the test has ended. */
const start = async (respond: Responder, certificate = CERTIFICATE): Promise<PushService> => {
  const service = await startPushService(certificate);
  onTestFinished(service.stop);
  for (let n = 0; n < MANY; n += 1) service.answer(`/${n}`, respond);
  return service;
};

const OUTGOING = { message: Buffer.from("Curfew"), topic: "t", timeoutMs: 9.5 * SECOND };

const settingsFor = (services: readonly PushService[]) => ({
  vapid: [VAPID_KEYS],
  allowed: allowedHosts(services.map(({ port }) => `127.0.0.1:${port}`).join(", ")),
  // Another's certificate is trusted, so that only its name is wrong.
  ca: `${CERTIFICATE.cert}${FOR_ANOTHER.cert}`,
  sender: makeSender(),
});

const subscriptionAt = ({ origin }: PushService, path: string | number) =>
  makeSubscription(`${origin}/${path}`, { p256dh: KEYS.p256dh, auth: KEYS.auth });

/** Delivers `count` messages to each service, in turns. @returns how often each result occurred at a service */
const deliverTo = async (services: readonly (readonly [PushService, count: number])[]) => {
  const subscriptions = Array.from({ length: MANY }, (_, n) =>
    services.filter(([, count]) => n < count).map(([service]) => subscriptionAt(service, n)),
  ).flat();
  const settings = settingsFor(services.map(([service]) => service));
  const deliveries = await deliver(subscriptions, OUTGOING, settings);
  // Every message has a result, in its place.
  expect(deliveries.map(({ subscription }) => subscription)).toEqual(subscriptions);
  expect(settings.sender.inFlight).toBe(0);
  return ({ origin }: PushService): Map<string, number> => {
    const own = deliveries.filter(({ subscription }) => subscription.endpoint.startsWith(`${origin}/`));
    const by = Map.groupBy(own, ({ result, why, tried }) => `${result} ${why}${tried ? "" : " untried"}`);
    return new Map([...by].map(([result, { length }]) => [result, length]));
  };
};

/** Writes bytes as they are, instead of a response. */
const raw =
  (text: string, then: Responder = () => {}): Responder =>
  (response) =>
    response.socket?.write(text, () => then(response));

/** Writes without end, as fast as it is read. */
const flood = (text: string) => {
  let taken = 0;
  const endless = function* () {
    for (; ; taken += text.length) yield text;
  };
  const respond: Responder = ({ socket }) => socket && Readable.from(endless()).pipe(socket);
  return { respond, taken: () => taken };
};

const drip: Responder = ({ socket }) => {
  const timer = setInterval(() => socket?.write("x"), SECOND);
  socket?.on("close", () => clearInterval(timer));
};

const hangUp: Responder = ({ socket }) => socket?.destroy();

const CREATED = "HTTP/1.1 201 Created\r\n";
const HINT = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";

/** The result of a message whose deadline has passed, or that was not tried because those of others had. */
const LATE = /^retry (no response in time|no time left|circuit open)/;

// Its deadlines are real ones: not at quick scale.
it.skipIf(QUICK)(
  "hostile push services do not delay a well-behaved one, and leave no message without a result",
  async () => {
    const body = flood("x".repeat(65_536));
    const headers = flood("x-header: 0123456789abcdef\r\n".repeat(2_000));
    const BEHAVIOURS: [expected: RegExp, respond: Responder, certificate?: typeof CERTIFICATE][] = [
      [/^sent 201$/, raw(`${CREATED}transfer-encoding: chunked\r\n\r\nfffffff\r\n`, body.respond)],
      [/^sent 201$/, raw(`${CREATED}content-length: 1000\r\n\r\n`, drip)],
      [LATE, raw(`${CREATED}x-head: `, drip)],
      [/^retry UND_ERR_HEADERS_OVERFLOW$/, raw(CREATED, headers.respond)],
      // What the system reports of a lost connection differs.
      [/^retry (ECONN|UND_ERR_SOCKET|ERR_SSL|EPIPE)/, raw(CREATED, hangUp)],
      [/^(sent 201|retry )/, status(201, { connection: "close" })],
      [/^(sent 201|retry )/, (response) => response.writeHead(201).end(() => hangUp(response))],
      [/^retry HTTPParserError$/, raw("SSH-2.0-OpenSSH_9.2\r\n")],
      [/^sent 201$/, raw(HINT.repeat(50), status(201))],
      [/^retry ERR_TLS_CERT_ALTNAME_INVALID$/, status(201), FOR_ANOTHER],
      [/^retry DEPTH_ZERO_SELF_SIGNED_CERT$/, status(201), OF_NOBODY],
    ];
    const hostile = await Promise.all(
      BEHAVIOURS.map(([, respond, certificate]) => start(respond, certificate)),
    );
    const events: string[] = [];
    const silent = await start(({ socket }) => socket?.on("close", () => events.push("given up")));
    const good = await start(status(201));
    good.onReceived(() => events.push("received"));
    const fews = hostile.map((service) => [service, FEW] as const);
    const resultsOf = await deliverTo([...fews, [silent, 40], [good, MANY]]);

    let late = 0;
    for (const [n, [expected]] of BEHAVIOURS.entries())
      for (const [result, count] of resultsOf(hostile[n] ?? good)) {
        if (expected.test(result)) continue;
        expect(result, String(expected)).toMatch(LATE);
        late += count;
      }
    // Deadlines are in real time: on a busy machine some messages miss theirs.
    expect(late).toBeLessThan((BEHAVIOURS.length * FEW) / 2);
    // No message is sent twice: it is returned for a retry.
    for (const service of hostile) expect(service.received().length).toBeLessThanOrEqual(FEW);
    // Nothing is sent to a service whose certificate is not its own.
    for (const impostor of hostile.slice(-2)) expect(impostor.received()).toEqual([]);

    // Sixteen hang until their deadline, then as many more; the rest is not tried when the time is up.
    const hung = [...resultsOf(silent)];
    for (const [result] of hung) expect(result).toMatch(LATE);
    const [[, tried] = ["", 0]] = hung.filter(([result]) => !result.endsWith("untried"));
    expect(tried).toBeGreaterThanOrEqual(16);
    expect(Math.max(tried, silent.received().length)).toBeLessThanOrEqual(32);

    // The well-behaved service did not wait until the first that hung was given up.
    for (const [result] of resultsOf(good)) expect(result).toMatch(new RegExp(`^sent 201$|${LATE.source}`));
    expect(resultsOf(good).get("sent 201")).toBeGreaterThan(MANY / 2);
    expect(events.indexOf("given up")).toBeGreaterThan(16);

    // Beyond the sockets' buffers nothing was read.
    for (const { taken } of [body, headers]) expect(taken()).toBeLessThan(FEW * 8 * MEGABYTE);
  },
);

it.each([
  [201, true],
  [429, false],
])("after 19 failures, a %i and another failure, a service is still tried: %s", async (code, isTried) => {
  const service = await start(status(500));
  service.answer("/19", status(code));
  const settings = settingsFor([service]);
  const send = (n: number) => deliver([subscriptionAt(service, n)], OUTGOING, settings);
  for (let n = 0; n < 21; n += 1) await send(n);
  expect(await send(21)).toMatchObject([{ tried: isTried }]);
});
