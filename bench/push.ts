/**
 * Measures push messages per second with the service's `deliver`, with the library web-push on keep-alive connections,
 * and for encryption alone. The push service runs in a separate process.
 */
import type { ChildProcess } from "node:child_process";
import { makeCertificate } from "../tests/support/certificate.ts";
import { otherVapid } from "../tests/support/constants.ts";
import { type Browser, makeBrowser } from "../tests/support/webPush.ts";
import { Measured, type Sample, type Setup, SinkStarted } from "./push/messages.ts";
import { median, ratio, spreadOf } from "./support/numbers.ts";
import { request, startHelper } from "./support/processes.ts";
import { atLeast, atMost, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";

const BROWSERS = 500;

const TEXT = "Be at the bridge by nine. ".repeat(8);
const NOTIFICATION = { title: "Curfew tonight", body: TEXT, navigate: "/", tag: "t" };
const MESSAGE = JSON.stringify({ web_push: 8030, notification: NOTIFICATION });

const PARTS = ["web-push", "delivery", "encryption", "two deliveries"] as const;
type Part = (typeof PARTS)[number];

interface Run {
  /** Messages per second of all processes together. */
  rate: number;
  /** CPU time of the sending processes in milliseconds per message. */
  cpu: number;
  /** CPU time of the push service in milliseconds per message. */
  sinkCpu: number;
}

const checkSamples = (samples: readonly Sample[], browsers: readonly Browser[]): void => {
  if (samples.length === 0) throw new Error("there are no samples");
  for (const { target, body } of samples) {
    const text = browsers[target]?.decrypt(Buffer.from(body, "base64url"));
    if (text !== MESSAGE) throw new Error("a decrypted message differs from the one that was sent");
  }
};

/** Starts the push service and the senders. @returns a function that runs a part */
const prepare = async (cleanups: AsyncDisposableStack) => {
  const certificate = makeCertificate();
  const sink = cleanups.use(startHelper("push-sink"));
  const { port } = await request(sink, { start: certificate }, SinkStarted);
  const browsers = Array.from({ length: BROWSERS }, makeBrowser);
  const base = `https://127.0.0.1:${port}/p`;
  const targets = browsers.map(({ p256dh, auth }, n) => ({ endpoint: `${base}/${n}`, p256dh, auth }));
  const vapid = otherVapid();
  const startSender = async (kind: Setup["kind"]): Promise<ChildProcess> => {
    const child = cleanups.use(startHelper("push-sender"));
    const setup: Setup = { kind, port, ca: certificate.cert, vapid, message: MESSAGE, targets };
    await request(child, { setup }, Measured);
    return child;
  };
  const one = await startSender("delivery");
  const senders: Record<Part, ChildProcess[]> = {
    "web-push": [await startSender("web-push")],
    delivery: [one],
    encryption: [await startSender("encryption")],
    "two deliveries": [one, await startSender("delivery")],
  };
  return async (part: Part, messages: number): Promise<Run> => {
    await request(sink, { count: true }, Measured);
    const send = (child: ChildProcess) => request(child, { send: messages }, Measured);
    const runs = await Promise.all(senders[part].map(send));
    const arrived = await request(sink, { count: true }, Measured);
    const sent = messages * runs.length;
    const expected = part === "encryption" ? 0 : sent;
    if (arrived.count !== expected) throw new Error(`${part}: ${arrived.count} of ${expected} arrived`);
    const samples = [...runs, arrived].flatMap((run) => run.samples);
    checkSamples(samples, browsers);
    return {
      rate: (sent / Math.max(...runs.map(({ wallMs }) => wallMs))) * 1_000,
      cpu: runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / sent,
      sinkCpu: arrived.cpuMs / sent,
    };
  };
};

/** @param quick whether few messages are enough */
export const bench: Bench = async (quick, cleanups) => {
  const messages = quick ? 200 : 6_000;
  const plan = quick ? QUICK : { quietRounds: 7, maxRounds: 12 };
  const run = await prepare(cleanups);
  const rounds = await runRounds(PARTS, plan, (part) => run(part, messages));
  const valuesOf = (part: Part, what: keyof Run): number[] => rounds.values(part, (one) => one[what]);
  const ratioOf = (what: keyof Run, part: Part, other: Part): number =>
    ratio(valuesOf(part, what), valuesOf(other, what));
  return {
    what: `${messages} messages per sender and round, to a push service on this machine`,
    rounds,
    tables: [
      PARTS.map((part) => ({
        part,
        "messages/s": spreadOf(valuesOf(part, "rate"), 0),
        "CPU ms/message": spreadOf(valuesOf(part, "cpu"), 3),
        "push service CPU ms": median(valuesOf(part, "sinkCpu")).toFixed(3),
      })),
    ],
    targets: [
      atLeast("delivery to web-push, messages/s", ratioOf("rate", "delivery", "web-push"), 2.2),
      atMost("delivery to encryption alone, CPU/message", ratioOf("cpu", "delivery", "encryption"), 1.5),
      atLeast("two deliveries to one, messages/s", ratioOf("rate", "two deliveries", "delivery"), 1.8),
    ],
    met: true,
  };
};
