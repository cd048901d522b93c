/** What the push bench measures, in a process of its own: one of the ways to send messages, or encryption alone. */
import { Agent } from "node:https";
import webPush from "web-push";
import type { Subscription } from "../../lib/domain/push.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { encrypt } from "../../lib/push/encrypt.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { tell, untilLetGo } from "../support/processes.ts";
import { type Sample, type Setup, SubjectAsked } from "./talk.ts";

const TOPIC = "t".repeat(32);
const TTL = 24 * 60 * 60;
/** How a careful user of the library sends: so many at once, over connections that are kept. */
const AT_ONCE = 100;
/** As a worker gets them. */
const PAGE = 1_000;
const SAMPLE_EVERY = 97;

/** Sends so many messages. @returns bodies of some that went nowhere */
type Send = (count: number) => Promise<Sample[]>;

const withLibrary = ({ targets, vapid, ca, message }: Setup): Send => {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: AT_ONCE });
  const options = { agent, vapidDetails: vapid, TTL, topic: TOPIC };
  const subscriptions = targets.map(({ endpoint, p256dh, auth }) => ({ endpoint, keys: { p256dh, auth } }));
  return async (count) => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        const subscription = subscriptions[next % subscriptions.length];
        next += 1;
        if (subscription !== undefined) await webPush.sendNotification(subscription, message, options);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return [];
  };
};

const subscriptionsOf = ({ targets }: Setup, count: number): Subscription[] =>
  Array.from({ length: Math.ceil(count / targets.length) }, () => targets)
    .flat()
    .slice(0, count)
    .map((target, n) => ({ subscription_id: `s${n}`, player_id: "p", created_at: "", ...target }));

const withDelivery = (setup: Setup): Send => {
  const { port, vapid, ca } = setup;
  const settings = {
    vapid: [{ ...vapid, since: 0 }],
    allowed: allowedHosts(`127.0.0.1:${port}`),
    ca,
    sender: makeSender(),
  };
  const message = Buffer.from(setup.message);
  return async (count) => {
    for (let sent = 0; sent < count; sent += PAGE) {
      const page = subscriptionsOf(setup, Math.min(PAGE, count - sent));
      const deliveries = await deliver(page, { message, topic: TOPIC, timeoutMs: 60_000 }, settings);
      const other = deliveries.find(({ result }) => result !== "sent");
      if (other !== undefined) throw new Error(`a message was not sent: ${other.result}, ${other.why}`);
    }
    return [];
  };
};

const encryption = (setup: Setup): Send => {
  const message = Buffer.from(setup.message);
  return async (count) => {
    const samples: Sample[] = [];
    for (let n = 0; n < count; n += 1) {
      const target = n % setup.targets.length;
      const keys = setup.targets[target];
      if (keys === undefined) continue;
      const body = encrypt(message, keys);
      if (n % SAMPLE_EVERY === 0) samples.push({ target, body: body.toString("base64url") });
    }
    return samples;
  };
};

const WAYS = { "web-push": withLibrary, delivery: withDelivery, encryption };

/** Sends what it is told to until the bench lets go. */
export const runSubject = async (): Promise<void> => {
  let send: Send | undefined;
  process.on("message", async (raw: unknown) => {
    const asked = SubjectAsked.parse(raw);
    if ("setup" in asked) {
      send = WAYS[asked.setup.kind](asked.setup);
      tell({ count: 0, wall: 0, cpu: 0, samples: [] });
      return;
    }
    if (send === undefined) throw new Error("asked to send before it was told what");
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const samples = await send(asked.send);
    const wall = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    tell({ count: asked.send, wall, cpu: user + system, samples });
  });
  await untilLetGo();
};
