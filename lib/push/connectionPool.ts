/** A lane: the messages for one push service, and its connections; what happens in it holds up no other. */

import type { Client } from "undici";
import { SECOND } from "../domain/time.ts";
import { makeBreaker } from "./circuitBreaker.ts";
import { hasRoom, mostUnderWay, type Traffic } from "./concurrency.ts";
import { AddressNotAllowed } from "./connector.ts";
import { encrypted } from "./encrypt.ts";
import { makeJobQueue } from "./jobQueue.ts";
import { kindOf, type Post, post } from "./request.ts";
import { isOthersKey, isTrouble, kindOfResponse, waitOf } from "./response.ts";
import type { ConnectionPool, Job, Outcome, Sender } from "./sender.ts";
import type { Signer } from "./vapid.ts";

/** For one message, in milliseconds. */
export const PATIENCE = 5 * SECOND;
/** With less left, a message would be on its way when it is given up, and be sent twice: in milliseconds. */
const LEAST_PATIENCE = 50;
/** Connections that were idle for longer may be dead without a sign: between calls, a process can stand still. */
const MOST_IDLE = 3 * SECOND;

const untried = (why: string, wait = 0): Outcome => ({ fate: "retry", why, wait, tried: false });
const NO_TIME = untried("no time left");
/** What is not even sent, and never can be. */
export const unsendable = (why: string): Outcome => ({ fate: "failed", why, wait: 0, tried: false });

interface Service {
  sender: Sender;
  sign: Signer;
  /** Makes a client, which connects when it is first used. */
  connect: () => Client;
}

/** A lane for one service. */
export const makeConnectionPool = ({ sender, sign, connect }: Service): ConnectionPool => {
  const waiting = makeJobQueue<Job>();
  const breaker = makeBreaker(sender.clock);
  let idle: Client[] = [];
  let underWay = 0;
  let lastUsed = sender.clock();
  let roundTrip: number | undefined;
  let answered = 0;

  const close = (): void => {
    for (const client of idle) void client.destroy();
    idle = [];
  };

  const sealed = ({ path, message, subscription, headers }: Job): Omit<Post, "patience"> => ({
    path,
    headers: { authorization: sign(), ...headers },
    body: encrypted(message, subscription),
  });

  const exchange = async (request: Post): Promise<Outcome> => {
    const known = idle.pop();
    const client = known ?? connect();
    try {
      const started = performance.now();
      const { status, retryAfter } = await post(client, request);
      answered += 1;
      // The first exchange of a connection has its handshake in it.
      if (known !== undefined) {
        roundTrip = Math.min(roundTrip ?? Number.POSITIVE_INFINITY, performance.now() - started);
      }
      idle.push(client);
      const fate = kindOfResponse(status);
      if (isTrouble(status)) breaker.failed();
      else if (fate !== "retry") breaker.worked();
      const wait = fate === "retry" ? waitOf(retryAfter, sender.clock()) : 0;
      return {
        ...{ fate, why: String(status), wait, tried: true },
        ...(isOthersKey(status) ? { isOthersKey: true } : {}),
      };
    } catch (error) {
      void client.destroy();
      const why = kindOf(error);
      if (error instanceof AddressNotAllowed) return unsendable(why);
      breaker.failed();
      return { fate: "retry", why, wait: 0, tried: true };
    }
  };

  const attempt = async (job: Job): Promise<Outcome> => {
    const patience = Math.min(PATIENCE, job.until - performance.now());
    if (patience < LEAST_PATIENCE) return NO_TIME;
    let request: Omit<Post, "patience">;
    try {
      request = sealed(job);
    } catch {
      return unsendable("keys of no use");
    }
    return exchange({ ...request, patience });
  };

  const start = async (job: Job): Promise<void> => {
    underWay += 1;
    sender.underWay += 1;
    const outcome = await attempt(job);
    underWay -= 1;
    sender.underWay -= 1;
    lastUsed = sender.clock();
    job.settle(outcome);
    // Another lane may have been waiting for the room.
    for (const lane of sender.lanes.values()) lane.fill();
  };

  const traffic = (): Traffic => ({
    roundTrip,
    open: underWay + idle.length,
    answered,
    waiting: waiting.count(),
  });

  const fill = (): void => {
    while (waiting.count() > 0) {
      const rest = breaker.rest();
      if (rest === 0) {
        const most = breaker.onTrial() ? 1 : mostUnderWay(traffic());
        if (underWay >= most || !hasRoom(underWay, sender.underWay)) return;
      }
      const job = waiting.next();
      if (job === undefined) return;
      if (rest > 0) job.settle(untried("service left alone", rest));
      else void start(job);
    }
  };

  return {
    add: (job) => {
      if (underWay === 0 && waiting.count() === 0 && sender.clock() - lastUsed > MOST_IDLE) {
        close();
        roundTrip = undefined;
        answered = 0;
      }
      waiting.add(job);
    },
    fill,
    giveUp: (job) => {
      if (waiting.leave(job)) job.settle(NO_TIME);
    },
    isIdle: () => underWay + waiting.count() === 0,
    close,
  };
};
