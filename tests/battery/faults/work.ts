/**
 * Work without a client that retries: the sweep, and the workers of stream and queue. Lambda and the queue deliver
 * unfinished work again; then everything must be as without a fault.
 */
import { expect } from "vitest";
import { handler as announce } from "../../../functions/notifications/announce.ts";
import { handler as deliver } from "../../../functions/notifications/deliver.ts";
import { handler as sweep } from "../../../functions/zombie/sweep.ts";
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { endpointHash } from "../../../lib/store/notifications/subscriptions.ts";
import { lambdaContext } from "../../../scripts/local/inProcess.ts";
import { maskSince, normalOf } from "../../support/maskTables.ts";
import { driftOf } from "../../support/recount.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { sqsEvent } from "../../support/sqsEvent.ts";
import { type Chain, GONE, preparePushService, type Work } from "./chains.ts";
import { requireLogged, requireNoDrift, requireSame } from "./checks.ts";
import type { FaultEnvironment, Rehearsal } from "./environment.ts";
import { injectionsAt } from "./faults.ts";
import { type Call, canDiffer, type Injection, inWords, runProcess, timeLeft } from "./process.ts";

const titleOf = (work: Work): string =>
  work.what === "message" ? `message ${work.outbound.message.kind}` : work.what;

/** Longer than the queue's visibility timeout, and than any lease or claim, in milliseconds. */
const LATER = 3 * MINUTE;
/** More invocations than any chain needs. */
const MOST = 60;

/** Whether the worker finished; otherwise the work is delivered again. */
const invoke = async ({ s }: FaultEnvironment, work: Work): Promise<boolean> => {
  const context = lambdaContext(() => timeLeft());
  try {
    if (work.what === "sweep") await sweep.on(s.services)({}, context);
    else if (work.what === "records") await announce.on(s.services)({ Records: [...work.records] }, context);
    else {
      const event = sqsEvent(work.outbound.message);
      const { batchItemFailures } = await deliver.on(s.services)(
        event,
        lambdaContext(() => timeLeft(60_000)),
      );
      return batchItemFailures.length === 0;
    }
    return true;
  } catch {
    // The error is logged and counted as an error of the function.
    return false;
  }
};

/** Works until nothing is left. @param plan the fault, and the invocation that has it */
const runChain = async (
  on: FaultEnvironment,
  first: readonly Work[],
  plan?: { at: number; injection: Injection },
) => {
  const queue: Work[] = [...first];
  const invocations: { title: string; calls: readonly Call[] }[] = [];
  let wasInjected = false;
  for (;;) {
    for (const outbound of on.outbox.splice(0)) queue.push({ what: "message", outbound });
    const work = queue.shift();
    if (work === undefined) return { invocations, wasInjected };
    if (invocations.length === MOST) throw new Error(`there is no end of it: ${titleOf(work)}`);
    // By then, delayed messages have been delivered.
    if (work.what === "message") on.clock.now += work.outbound.delay ?? 0;
    const injection = plan?.at === invocations.length ? plan.injection : null;
    on.freshProcess();
    const { result, calls, wasInjected: injected } = await runProcess(injection, () => invoke(on, work));
    invocations.push({ title: titleOf(work), calls });
    wasInjected ||= injected;
    // A sweep is scheduled every minute, whether or not the last one succeeded.
    if (result !== true || (injected && work.what === "sweep")) {
      on.clock.now += LATER;
      queue.push(work);
    }
  }
};

const countPushes = (on: FaultEnvironment): Record<string, number> => {
  const byPath = Map.groupBy(on.push().received(), ({ path }) => path);
  return Object.fromEntries([...byPath].map(([path, { length }]) => [path, length]));
};

/** Pushes by path and topic: a browser shows only one of each topic. Expired subscriptions are left out. */
const shownPushes = (on: FaultEnvironment): string[] => {
  const received = on.push().received();
  const shown = received.filter(({ path }) => path !== GONE);
  return [...new Set(shown.map(({ path, headers }) => `${path} ${String(headers.topic)}`))].toSorted();
};

/** Whether an item describes only how the work was done: rounds, plans, failures of webhooks, and the progress of warnings. */
const isProgress = ({ sk }: StoredItem): boolean => /^(PAGE#|PLAN#|WEBHOOKS$|WARNED$)/.test(sk);

/** Whether the removal of a subscription fails: then an expired one may remain until the next message. */
const failsRemoval = ({ call: { name } }: Injection): boolean =>
  /^TransactWriteItems SECRET#\* SUBSCRIPTION#\*, SECRET#ENDPOINT#\* ENDPOINT$/.test(name);

/** Notifications without expired subscriptions, which may be uncounted, and without the number of their changes. */
const withoutExpired = (table: Snapshot): Snapshot =>
  new Map(
    [...table].map(([name, item]): [string, StoredItem] => {
      const { subscriptions, expired = 0 } = item;
      const counts = { subscriptions: Number(subscriptions) - Number(expired), expired: 0, rev: 0 };
      const isCount = item.pk.startsWith("NOTIFICATIONS#") && subscriptions !== undefined;
      return [name, isCount ? { ...item, ...counts } : item];
    }),
  );

/** Plays a chain without a fault, to record its calls: each call of each invocation can have a fault. */
export const doingWork = (chain: Chain): Rehearsal => ({
  title: chain.title,
  async rehearse(on) {
    const { pushes = {} } = chain;
    const first: readonly Work[] = (await chain.prepare(on)) ?? [{ what: "sweep" }];
    on.outbox.length = 0;
    const { now } = on.clock;
    const start = await snapshot(on.s);
    const mask = maskSince(start, now, HOUR);
    const drift = driftOf(start.values());

    preparePushService(on);
    const { invocations } = await runChain(on, first);
    const after = await snapshot(on.s);
    requireNoDrift(after, drift);
    expect(countPushes(on)).toEqual(pushes);
    const expectedPushes = shownPushes(on);
    const gone = endpointHash(`${on.push().origin}${GONE}`);

    const inject = async (at: number, injection: Injection): Promise<void> => {
      await on.restart({ start, now });
      preparePushService(on);
      const { wasInjected } = await runChain(on, first, { at, injection });
      expect(wasInjected, "the call was made").toBe(true);
      const end = await snapshot(on.s);
      requireNoDrift(end, drift);
      if (canDiffer(chain, injection.effect)) return;
      const mayRemain = failsRemoval(injection);
      const isLeftOut = (item: StoredItem): boolean =>
        isProgress(item) || (mayRemain && [item.pk, item.sk].some((key) => key.includes(gone)));
      const is = normalOf(withoutExpired(end), mask, isLeftOut);
      const once = normalOf(withoutExpired(after), mask, isLeftOut);
      requireSame(is, once);
      requireLogged(is, { start: normalOf(start, mask), once, calls: 1 });
      expect(shownPushes(on), "pushes").toEqual(expectedPushes);
      if (GONE in pushes) expect(countPushes(on)[GONE], "pushes").toBeGreaterThan(0);
    };

    const faults = invocations.flatMap(({ title, calls }, at) =>
      calls.flatMap(injectionsAt).map((injection) => ({
        name: `${inWords(injection)} of ${title}, the invocation ${at + 1}`,
        inject: () => inject(at, injection),
      })),
    );
    expect(faults.length, "faults that fit its calls").toBeGreaterThan(5);
    return faults;
  },
});
