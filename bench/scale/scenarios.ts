/** What is simulated second by second: the burst after a mission, alone and with its browsers, and deaths by the thousand. */

import { burstRates, huntRates, MISSION_HOUR, ordinaryRates } from "../../scripts/cost/trafficModel.ts";
import type { Row } from "../support/report.ts";
import { type Simulated, simulate, type Traffic, type World } from "./simulate.ts";

/** What is asked for is asked for at so many hunts a second. */
export const HUNTS = 2_000;

export interface Scenario {
  name: string;
  traffic: Traffic;
  /** Whether what is asked for must hold in it. */
  isAskedFor: boolean;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "hunts alone", traffic: { perSecond: huntRates(HUNTS) }, isAskedFor: true },
  { name: "hunts, and their browsers", traffic: { perSecond: burstRates(HUNTS) }, isAskedFor: true },
  {
    name: "an evening, all starved",
    traffic: { perSecond: ordinaryRates(MISSION_HOUR), oneByOne: ["sweep, batch of 48"] },
    isAskedFor: false,
  },
  {
    name: "an evening, all killed",
    traffic: { perSecond: ordinaryRates(MISSION_HOUR), oneByOne: ["kill all, batch of 48"] },
    isAskedFor: false,
  },
];

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, one) => all + one, 0);

/** What the simulation came to, in few figures. */
export interface Outcome {
  requests: number;
  throttledWrites: number;
  throttledReads: number;
  /** Of the tries of transactions, those that met a busy item, in percent. */
  conflicts: number;
  simulated: Simulated;
}

/** @throws Error unless about as many requests came as were to come, and none ended twice */
const requireAll = (
  { begun, done, refused, events }: Simulated,
  { perSecond }: Traffic,
  seconds: number,
): void => {
  for (const [operation, rate] of Object.entries(perSecond)) {
    const expected = rate * seconds;
    const came = begun[operation] ?? 0;
    if (Math.abs(came - expected) <= 6 * Math.sqrt(expected) + 6) continue;
    throw new Error(`${came} of ${operation} came, not about ${expected}`);
  }
  const [came, ended] = [sum(Object.values(begun)), sum(Object.values(done)) + refused];
  if (ended > came || events < came) throw new Error(`${ended} of ${came} ended, in ${events} events`);
};

/** Runs a scenario for so many seconds. @throws Error when the simulation is not as it was to be */
export const outcomeOf = (world: World, { traffic }: Scenario, seconds: number): Outcome => {
  const simulated = simulate(world, traffic, seconds);
  requireAll(simulated, traffic, seconds);
  const { begun, throttled, conflicts, transactions } = simulated;
  return {
    requests: sum(Object.values(begun)),
    throttledWrites: sum(throttled.write.values()),
    throttledReads: sum(throttled.read.values()),
    conflicts: (conflicts / Math.max(1, transactions)) * 100,
    simulated,
  };
};

const fullest = (peaks: ReadonlyMap<string, number>): string => {
  const [[kind, units] = ["none", 0]] = [...peaks].toSorted(([, one], [, other]) => other - one);
  return `${kind} ${Math.round(units).toLocaleString("en")}`;
};

export const rowOf = (shards: number, { name }: Scenario, outcome: Outcome): Row => {
  const { requests, throttledReads, throttledWrites, conflicts, simulated } = outcome;
  return {
    shards,
    scenario: name,
    requests,
    "came to nothing": simulated.refused,
    "conflicts, %": conflicts.toFixed(2),
    "writes throttled": throttledWrites,
    "reads throttled": throttledReads,
    "fullest, of writes": fullest(simulated.peaks.write),
    "fullest, of reads": fullest(simulated.peaks.read),
  };
};

/** All of it, as JSON can say it. */
export const tellOf = (shards: number, { name }: Scenario, { simulated }: Outcome) => {
  const { throttled, totals, peaks, ...rest } = simulated;
  const plain = ({ read, write }: Simulated["peaks"]) => ({
    read: Object.fromEntries(read),
    write: Object.fromEntries(write),
  });
  return {
    shards,
    scenario: name,
    ...rest,
    throttled: plain(throttled),
    totals: plain(totals),
    peaks: plain(peaks),
  };
};
