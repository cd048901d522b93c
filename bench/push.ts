/**
 * How fast messages are pushed: this delivery, beside the library web-push as a careful user has it, and beside
 * the encryption that no delivery can do without; in turns, against one push service in a process of its own.
 */
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { makeCertificate } from "../tests/support/certificate.ts";
import { type Browser, makeBrowser } from "../tests/support/webPush.ts";
import { Counted, Measured, type Sample, type Setup, SinkTold } from "./push/talk.ts";
import { median, ratio, spread } from "./support/numbers.ts";
import { ask, type Ends, startPart, withEnds } from "./support/processes.ts";
import { atLeast, atMost, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";

const BROWSERS = 500;

const MESSAGE = JSON.stringify({
  web_push: 8030,
  notification: {
    title: "Curfew tonight",
    body: "Be at the bridge by nine. ".repeat(8),
    navigate: "/",
    tag: "t",
  },
});

const vapidKeys = () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { d = "", x = "", y = "" } = privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: d, subject: "mailto:game-master@example.org" };
};

/** A run of one part: of one process, or of several at once. */
interface Run {
  /** Messages per second, all processes together. */
  rate: number;
  /** CPU milliseconds per message, in the processes that send. */
  cpu: number;
  /** CPU milliseconds per message of the push service, which shares the machine. */
  sink: number;
}

const check = (samples: readonly Sample[], browsers: readonly Browser[]): void => {
  if (samples.length === 0) throw new Error("no message was kept to be read");
  for (const { target, body } of samples) {
    const said = browsers[target]?.decrypt(Buffer.from(body, "base64url"));
    if (said !== MESSAGE) throw new Error("a browser reads something else than was sent");
  }
};

const PARTS = ["web-push", "delivery", "encryption", "two deliveries"] as const;
type Part = (typeof PARTS)[number];

/** Starts the service and those who send to it. @returns what runs a part once */
const prepare = async (ends: Ends) => {
  const started = (what: "push-sink" | "push-subject"): ChildProcess => {
    const child = startPart(what);
    ends.push(() => child.kill());
    return child;
  };
  const certificate = makeCertificate();
  const sink = started("push-sink");
  const { port } = await ask(sink, { start: certificate }, SinkTold);
  const browsers = Array.from({ length: BROWSERS }, makeBrowser);
  const common = {
    port,
    ca: certificate.cert,
    vapid: vapidKeys(),
    message: MESSAGE,
    targets: browsers.map(({ p256dh, auth }, n) => ({
      endpoint: `https://127.0.0.1:${port}/p/${n}`,
      p256dh,
      auth,
    })),
  };
  const subject = async (kind: Setup["kind"]): Promise<ChildProcess> => {
    const child = started("push-subject");
    await ask(child, { setup: { kind, ...common } }, Measured);
    return child;
  };
  const [library, one, encryption, other] = [
    await subject("web-push"),
    await subject("delivery"),
    await subject("encryption"),
    await subject("delivery"),
  ];
  const senders: Record<Part, ChildProcess[]> = {
    "web-push": [library],
    delivery: [one],
    encryption: [encryption],
    "two deliveries": [one, other],
  };
  return async (part: Part, messages: number): Promise<Run> => {
    await ask(sink, { count: true }, Counted);
    const runs = await Promise.all(senders[part].map((child) => ask(child, { send: messages }, Measured)));
    const counted = await ask(sink, { count: true }, Counted);
    const sent = runs.reduce((sum, { count }) => sum + count, 0);
    const expected = part === "encryption" ? 0 : sent;
    if (counted.count !== expected) throw new Error(`${part}: ${counted.count} of ${expected} messages came`);
    check([...runs.flatMap(({ samples }) => samples), ...counted.samples], browsers);
    const cpu = runs.reduce((sum, run) => sum + run.cpu, 0) / 1_000;
    return {
      rate: (sent / Math.max(...runs.map((run) => run.wall))) * 1_000,
      cpu: cpu / sent,
      sink: counted.cpu / sent / 1_000,
    };
  };
};

/**
 * Measures, prints, and writes bench/results/push.json.
 * @param quick whether few messages will do
 */
export const pushBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    const messages = quick ? 200 : 6_000;
    const plan = quick ? QUICK : { wanted: 7, most: 12 };
    const run = await prepare(ends);
    const rounds = await inTurns(PARTS, plan, (part) => run(part, messages));
    const rate = (part: Part): number[] => rounds.values(part, (one) => one.rate);
    const cpu = (part: Part): number[] => rounds.values(part, (one) => one.cpu);
    await report({
      name: "push",
      quick,
      what: `${messages} messages at a time to a push service on this machine`,
      rounds,
      tables: [
        PARTS.map((part) => ({
          part,
          "messages/s": spread(rate(part), 0),
          "CPU ms/message": spread(cpu(part), 3),
          "the service's": median(rounds.values(part, ({ sink }) => sink)).toFixed(3),
        })),
      ],
      targets: [
        atLeast("delivery to web-push, messages/s", ratio(rate("delivery"), rate("web-push")), 2.2),
        atMost("delivery to encryption alone, CPU/message", ratio(cpu("delivery"), cpu("encryption")), 1.5),
        atLeast("two deliveries to one, messages/s", ratio(rate("two deliveries"), rate("delivery")), 1.8),
      ],
    });
    return true;
  });
