/**
 * Work that nobody asks for again: the minute's sweep, and the workers of stream and queue. What a worker did not end
 * comes again, as Lambda and the queue have it; then everything must be as if nothing had gone wrong.
 */
import type { DynamoDBRecord } from "aws-lambda";
import { handler as announce } from "../../../functions/notifications/announce.ts";
import { handler as deliver } from "../../../functions/notifications/deliver.ts";
import { handler as sweep } from "../../../functions/zombie/sweep.ts";
import { MINUTE } from "../../../lib/domain/time.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { lambdaContext } from "../../support/context.ts";
import { sqsEvent } from "../../support/sqsEvent.ts";
import type { Call, Injection } from "./calls.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { DIED } from "./process.ts";

/** A piece of work: an invocation of a worker. */
export type Work =
  | { what: "sweep" }
  | { what: "records"; records: readonly DynamoDBRecord[] }
  | { what: "message"; outbound: Outbound };

/** One invocation: what it was, and what it called. */
export interface Done {
  title: string;
  calls: readonly Call[];
}

/** Lets a fresh process do its work; as a level of faults does. */
export type Live = (
  plan: Injection | null,
  work: () => Promise<boolean>,
) => Promise<{ result: boolean | typeof DIED; calls: readonly Call[]; hasStruck: boolean }>;

const titleOf = (work: Work): string =>
  work.what === "message" ? `message ${work.outbound.message.kind}` : work.what;

/** The queue's visibility timeout, in milliseconds. */
const VISIBILITY = 2 * MINUTE;
/** More invocations than any chain has. */
const MOST = 60;

/** Whether the worker has done it; otherwise it comes again. */
const invoke = async ({ s, timeLeft }: FaultEnvironment, work: Work): Promise<boolean> => {
  const context = lambdaContext(timeLeft);
  try {
    if (work.what === "sweep") await sweep.on(s.services)({}, context);
    else if (work.what === "records") await announce.on(s.services)({ Records: [...work.records] }, context);
    else {
      const { batchItemFailures } = await deliver.on(s.services)(sqsEvent(work.outbound.message), context);
      return batchItemFailures.length === 0;
    }
    return true;
  } catch {
    // It is logged, and counted as a fault of the function.
    return false;
  }
};

const sweeps = (work: Work): boolean =>
  work.what === "sweep" || (work.what === "message" && work.outbound.message.kind === "sweep");

/**
 * Works until nothing is left.
 * @param plan in which invocation a fault is to strike, and which
 */
export const runChain = async (
  on: FaultEnvironment,
  live: Live,
  first: readonly Work[],
  plan: { at: number; injection: Injection } | null,
): Promise<{ done: Done[]; hasStruck: boolean }> => {
  const queue: Work[] = [...first];
  const done: Done[] = [];
  let hasStruck = false;
  for (;;) {
    for (const outbound of on.outbox.splice(0)) queue.push({ what: "message", outbound });
    const work = queue.shift();
    if (work === undefined) return { done, hasStruck };
    if (done.length === MOST) {
      throw new Error(`there is no end of it: ${done.slice(-5).map(({ title }) => title)}`);
    }
    // What is held back has come by then.
    if (work.what === "message") on.clock.now += work.outbound.delay ?? 0;
    on.freshProcess();
    const injection = plan?.at === done.length ? plan.injection : null;
    const { result, calls, hasStruck: strikes } = await live(injection, () => invoke(on, work));
    done.push({ title: titleOf(work), calls });
    hasStruck ||= strikes;
    if (result !== true) {
      on.clock.now += VISIBILITY;
      queue.push(work);
    } else if (strikes && sweeps(work)) {
      // The sweep is scheduled every minute.
      on.clock.now += MINUTE;
      queue.push({ what: "sweep" });
    }
  }
};
