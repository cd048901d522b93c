/** Plays a chain of work: once without a fault, then with every fault at every call of every invocation. */
import { expect } from "vitest";
import { HOUR } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { endpointHash } from "../../../lib/store/subscriptions.ts";
import { maskSince, normalOf } from "../../support/normal.ts";
import { driftOf } from "../../support/recount.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Call, type Effect, type Injection, inWords } from "./calls.ts";
import { type Live, runChain, type Work } from "./chain.ts";
import { arrange, type Chain, GONE } from "./chains.ts";
import { requireLogged, requireNoDrift, requireSame } from "./checks.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { Playbill } from "./play.ts";
import { type Counted, chosenFaults } from "./run.ts";
import { isFree } from "./setup.ts";

/** Where faults strike. */
export interface ChainLevel {
  faultsAt: (call: Call) => readonly string[];
  effectOf: (fault: string) => Effect;
  live: Live;
}

/** One fault, in the invocation in which it strikes. */
interface Struck {
  at: number;
  title: string;
  injection: Injection;
}

const timesByPath = (on: FaultEnvironment): Record<string, number> => {
  const times: Record<string, number> = {};
  for (const { path } of on.push().received()) times[path] = (times[path] ?? 0) + 1;
  return times;
};

/** Pushes by path and topic: those of one topic show once. Expired subscriptions get some, by chance. */
const shown = (on: FaultEnvironment): string[] => {
  const heard = on
    .push()
    .received()
    .filter(({ path }) => path !== GONE);
  return [...new Set(heard.map(({ path, headers }) => `${path} ${String(headers.topic)}`))].toSorted();
};

/** How the work was done is no result: which rounds it took, what was planned, how far warnings have come. */
const isMeans = ({ sk }: StoredItem): boolean => /^(PAGE#|PLAN#|WARNED$)/.test(sk);

/** Whether the removal of a subscription fails: an expired one may remain until the next message then. */
const spares = ({ call: { name } }: Injection): boolean =>
  /^(transact|TransactWriteItems) SECRET#\* SUBSCRIPTION#\*, SECRET#ENDPOINT#\* ENDPOINT$/.test(name);

/** An expired subscription is counted as expired or, where that could not be written, not at all. */
const withoutExpired = (table: Snapshot): Snapshot =>
  new Map(
    [...table].map(([name, item]): [string, StoredItem] => {
      const { subscriptions, expired = 0 } = item;
      const isCount = item.pk.startsWith("NOTIFICATIONS#") && typeof subscriptions === "number";
      if (!isCount || typeof expired !== "number") return [name, item];
      return [name, { ...item, subscriptions: subscriptions - expired, expired: 0 }];
    }),
  );

interface Playing {
  on: FaultEnvironment;
  level: ChainLevel;
  chain: Chain;
}

/** Plays a chain. @returns its calls, and the faults that they could have */
export const playChain = async (
  { on, level, chain }: Playing,
  { faults, place }: Playbill,
): Promise<Counted> => {
  await on.begin();
  const first: readonly Work[] = await chain.prepare(on);
  on.outbox.length = 0;
  const { now } = on.clock;
  const start = await snapshot(on.s);
  const mask = maskSince(start, now, HOUR);
  const drift = driftOf(start.values());
  const before = normalOf(start, mask);

  arrange(on);
  const clean = await runChain(on, level.live, first, null);
  const after = await snapshot(on.s);
  requireNoDrift(after, drift, chain.title);
  expect(timesByPath(on), chain.title).toEqual(chain.pushes);
  const expectedPushes = shown(on);
  const gone = endpointHash(`${on.push().origin}${GONE}`);

  const injections = clean.done.flatMap(({ title, calls }, at) =>
    calls.flatMap((call) =>
      level.faultsAt(call).map((fault): Struck => ({ at, title, injection: { call, fault } })),
    ),
  );
  expect(injections.length, `${chain.title}: faults that fit its calls`).toBeGreaterThan(5);
  for (const { at, title, injection } of chosenFaults(injections, faults, place)) {
    const label = `${chain.title}: ${inWords(injection)} of ${title}, the invocation ${at + 1}`;
    await restore(on.s, start);
    on.clock.now = now;
    on.outbox.length = 0;
    arrange(on);
    const { hasStruck } = await runChain(on, level.live, first, { at, injection });
    expect(hasStruck, `${label}: the call did not come`).toBe(true);
    const end = await snapshot(on.s);
    requireNoDrift(end, drift, label);
    if (!isFree(chain, level.effectOf(injection.fault))) {
      const isSpared = spares(injection);
      const isLeftOut = (item: StoredItem): boolean =>
        isMeans(item) || (isSpared && [item.pk, item.sk].some((key) => key.includes(gone)));
      const is = normalOf(withoutExpired(end), mask, isLeftOut);
      const should = normalOf(withoutExpired(after), mask, isLeftOut);
      requireSame(is, should, label);
      requireLogged(is, { start: before, clean: should, calls: 1, least: should }, label);
      expect(shown(on), `${label}: who was expectedPushes`).toEqual(expectedPushes);
      if (GONE in chain.pushes) expect(timesByPath(on)[GONE], label).toBeGreaterThan(0);
    }
    faults.ran();
  }
  return { calls: clean.done.reduce((sum, { calls }) => sum + calls.length, 0), faults: injections.length };
};
