/**
 * How fast messages are pushed: this delivery, beside the library web-push as a careful user has it, and beside
 * the encryption that no delivery can do without; in turns, against one push service in a process of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import type * as z from "zod/mini";
import { makeCertificate } from "../../tests/support/certificate.ts";
import { type Browser, makeBrowser } from "../../tests/support/webPush.ts";
import { Counted, Measured, type Sample, type Setup, SinkTold } from "./push/talk.ts";

const ROOT = join(import.meta.dirname, "../..");
const BROWSERS = 500;
/** With fewer such rounds, all count. */
const FEWEST_QUIET = 5;

const MESSAGE = JSON.stringify({
  web_push: 8030,
  notification: {
    title: "Curfew tonight",
    body: "Be at the bridge by nine. ".repeat(8),
    navigate: "/",
    tag: "t",
  },
});

/** Started beside the bench; it ends with it. */
const start = (what: "push-sink" | "push-subject"): ChildProcess =>
  fork(join(ROOT, "scripts/bench.ts"), [what], { stdio: ["ignore", "inherit", "inherit", "ipc"] });

/** Tells a process something, and hears its answer. */
const ask = <T>(child: ChildProcess, what: object, schema: z.ZodMiniType<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`a process of the bench ended: ${code}`));
    child.once("exit", gone);
    child.once("message", (raw) => {
      child.off("exit", gone);
      resolve(schema.parse(raw));
    });
    child.send(what);
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
  /** What part of the machine went to whatever else runs on it. */
  others: number;
}

/** What the whole machine has done, in milliseconds of a CPU. */
const busy = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

/** More than this, and a round says more of the others than of us. */
const MOST_OTHERS = 0.05;
const isQuiet = (round: Record<Part, Run>): boolean =>
  Object.values(round).every(({ others }) => others <= MOST_OTHERS);

const check = (samples: readonly Sample[], browsers: readonly Browser[]): void => {
  if (samples.length === 0) throw new Error("no message was kept to be read");
  for (const { target, body } of samples) {
    const said = browsers[target]?.decrypt(Buffer.from(body, "base64url"));
    if (said !== MESSAGE) throw new Error("a browser reads something else than was sent");
  }
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return ((sorted[half] ?? Number.NaN) + (sorted[sorted.length - 1 - half] ?? Number.NaN)) / 2;
};

const spread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Of each round one against the other, and of these the median: what slows the machine down slows down both. */
const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((one, n) => one / (others[n] ?? Number.NaN)));

const PARTS = ["web-push", "delivery", "encryption", "two deliveries"] as const;
type Part = (typeof PARTS)[number];

/** Starts the service and those who send to it. @returns what runs a part once */
const prepare = async (children: ChildProcess[]) => {
  const started = (what: Parameters<typeof start>[0]): ChildProcess => {
    const child = start(what);
    children.push(child);
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
    const [started, before, own] = [performance.now(), busy(), process.cpuUsage()];
    const runs = await Promise.all(senders[part].map((child) => ask(child, { send: messages }, Measured)));
    const counted = await ask(sink, { count: true }, Counted);
    const [wall, all, { user, system }] = [
      performance.now() - started,
      busy() - before,
      process.cpuUsage(own),
    ];

    const sent = runs.reduce((sum, { count }) => sum + count, 0);
    const expected = part === "encryption" ? 0 : sent;
    if (counted.count !== expected) throw new Error(`${part}: ${counted.count} of ${expected} messages came`);
    check([...runs.flatMap(({ samples }) => samples), ...counted.samples], browsers);
    const cpu = runs.reduce((sum, one) => sum + one.cpu, 0) / 1_000;
    const ours = cpu + (counted.cpu + user + system) / 1_000;
    return {
      rate: (sent / Math.max(...runs.map((one) => one.wall))) * 1_000,
      cpu: cpu / sent,
      sink: counted.cpu / sent / 1_000,
      others: Math.max(0, all - ours) / (wall * cpus().length),
    };
  };
};

/** Runs all parts in turns, so many times, and again where the machine was not ours. */
const measure = async (quick: boolean): Promise<{ messages: number; rounds: Record<Part, Run>[] }> => {
  const [wanted, most, messages] = quick ? [2, 2, 500] : [7, 12, 6_000];
  const children: ChildProcess[] = [];
  try {
    const run = await prepare(children);
    const round = async (): Promise<Record<Part, Run>> => ({
      "web-push": await run("web-push", messages),
      delivery: await run("delivery", messages),
      encryption: await run("encryption", messages),
      "two deliveries": await run("two deliveries", messages),
    });
    // Warm: what is compiled and connected the first time is no part of what is compared.
    await round();
    const rounds: Record<Part, Run>[] = [];
    while (rounds.length < most && rounds.filter(isQuiet).length < wanted) rounds.push(await round());
    return { messages, rounds };
  } finally {
    for (const child of children) child.kill();
  }
};

/**
 * Measures, prints, and writes bench/results/push.json.
 * @param quick whether few messages will do
 */
export const pushBench = async (quick: boolean): Promise<void> => {
  const { messages, rounds } = await measure(quick);
  const quiet = rounds.filter(isQuiet);
  const counted = quick || quiet.length < FEWEST_QUIET ? rounds : quiet;
  const values = (part: Part, what: keyof Run): number[] => counted.map((round) => round[part][what]);
  const shown = PARTS.map((part) => ({
    part,
    "messages/s": spread(values(part, "rate"), 0),
    "CPU ms/message": spread(values(part, "cpu"), 3),
    "the service's": median(values(part, "sink")).toFixed(3),
    "others' part": `${(median(values(part, "others")) * 100).toFixed(0)} %`,
  }));
  const ratios = [
    {
      ratio: "delivery to web-push, messages/s",
      measured: ratio(values("delivery", "rate"), values("web-push", "rate")),
      target: "at least 2.2",
    },
    {
      ratio: "delivery to encryption alone, CPU/message",
      measured: ratio(values("delivery", "cpu"), values("encryption", "cpu")),
      target: "at most 1.5",
    },
    {
      ratio: "two deliveries to one, messages/s",
      measured: ratio(values("two deliveries", "rate"), values("delivery", "rate")),
      target: "at least 1.8",
    },
  ];
  const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version };
  console.log(`${machine.cores} cores (${machine.cpu}), Node.js ${machine.node}`);
  console.log(
    `${counted.length} rounds of ${messages} messages, of ${rounds.length} of which ${quiet.length} had the machine`,
    "for themselves; medians (from the least to the most)",
  );
  console.table(shown);
  console.table(ratios.map((one) => ({ ...one, measured: one.measured.toFixed(2) })));
  const folder = join(ROOT, "bench/results");
  await mkdir(folder, { recursive: true });
  const told = { at: new Date().toISOString(), machine, messages, ratios, counted, rounds };
  await writeFile(join(folder, "push.json"), `${JSON.stringify(told, null, 2)}\n`);
};
