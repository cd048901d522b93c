/** A process that sends push messages with `deliver` or with web-push, or only encrypts them. */
import { Agent } from "node:https";
import webPush from "web-push";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { deliver } from "../../lib/push/deliver.ts";
import { encrypt } from "../../lib/push/encrypt.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { makeSubscription } from "../../tests/support/webPush.ts";
import { serveRequests } from "../support/processes.ts";
import { SAMPLE_EVERY, type Sample, SenderMessage, type Setup } from "./messages.ts";

const TOPIC = "t".repeat(32);
const TTL_SECONDS = 24 * 60 * 60;
/** web-push sends this many messages at once, each on a keep-alive connection of its own. */
const CONNECTIONS = 100;
/** The number of subscriptions per call of `deliver`. */
const BATCH_SIZE = 1_000;

type Target = Setup["targets"][number];
/** Sends a message to each target. @returns samples of the bodies; none if they were sent, when the sink takes them */
type Send = (targets: readonly Target[]) => Promise<Sample[]>;

const withLibrary = ({ vapid, ca, message }: Setup): Send => {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: CONNECTIONS });
  const options = { agent, vapidDetails: vapid, TTL: TTL_SECONDS, topic: TOPIC };
  return async (targets) => {
    const queue = targets.values();
    const worker = async (): Promise<void> => {
      for (const { endpoint, p256dh, auth } of queue) {
        await webPush.sendNotification({ endpoint, keys: { p256dh, auth } }, message, options);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    return [];
  };
};

const withDelivery = ({ port, vapid, ca, message: text }: Setup): Send => {
  const allowed = allowedHosts(`127.0.0.1:${port}`);
  const settings = { vapid: [{ ...vapid, since: 0 }], allowed, ca, sender: makeSender() };
  const message = Buffer.from(text);
  return async (targets) => {
    const subscriptions = targets.map((target) => makeSubscription(target.endpoint, target));
    for (const batch of chunk(subscriptions, BATCH_SIZE)) {
      const deliveries = await deliver(batch, { message, topic: TOPIC, timeoutMs: 60_000 }, settings);
      const failed = deliveries.find(({ result }) => result !== "sent");
      if (failed !== undefined) throw new Error(`a message was not sent: ${failed.result}, ${failed.why}`);
    }
    return [];
  };
};

const withEncryptionOnly = ({ message: text, targets: all }: Setup): Send => {
  const message = Buffer.from(text);
  return async (targets) => {
    const samples: Sample[] = [];
    for (const [n, target] of targets.entries()) {
      const body = encrypt(message, target);
      if (n % SAMPLE_EVERY === 0) samples.push({ target: n % all.length, body: body.toString("base64url") });
    }
    return samples;
  };
};

const SENDERS = { "web-push": withLibrary, delivery: withDelivery, encryption: withEncryptionOnly };

export const runSender = (): Promise<void> => {
  let send: Send | undefined;
  let targets: readonly Target[] = [];
  return serveRequests(SenderMessage, async (message) => {
    if ("setup" in message) {
      ({ targets } = message.setup);
      send = SENDERS[message.setup.kind](message.setup);
      return { count: 0, wallMs: 0, cpuMs: 0, samples: [] };
    }
    if (send === undefined) throw new Error("`send` was requested before `setup`");
    const count = message.send;
    const repeated = Array.from({ length: Math.ceil(count / targets.length) }, () => targets).flat();
    const [started, cpuAtStart] = [performance.now(), process.cpuUsage()];
    const samples = await send(repeated.slice(0, count));
    const wallMs = performance.now() - started;
    const { user, system } = process.cpuUsage(cpuAtStart);
    return { count, wallMs, cpuMs: (user + system) / 1_000, samples };
  });
};
