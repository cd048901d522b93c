/** What a bill needs and no bench has measured; each of them is said wherever a bill is. */

import { COUNTED_ANEW } from "../../lib/app/starvation/hungerList.ts";
import { formatNumber } from "../cli/format.ts";
import { PREFLIGHT_HOURS } from "./traffic.ts";
import { DAILY_RATES } from "./trafficModel.ts";

export const DAY_MINUTES = 1_440;

/** The memory at which a function has a whole processor, in MB. */
const WHOLE_PROCESSOR = 1_769;

export const ASSUMED = {
  /** What the database takes for one round trip, in milliseconds. */
  tripMs: 5,
  /** Round trips of one request, one after the other. */
  trips: 3,
  /** Of all invocations those that load their function first. */
  cold: 0.02,
  /** What a request leaves in the logs: the service's line, the gateway's, and Lambda's own. */
  logBytes: 1_200,
  /** For how long they lie there, in days. */
  logDays: 30,
  /** An answer with its headers; that of a list is compressed. */
  answerBytes: 1_000,
  listBytes: 6_000,
  /** What the gateway answers to a preflight: headers alone. */
  preflightBytes: 500,
  /** One push with its headers and its share of a handshake. */
  pushBytes: 2_000,
  /** What a player takes in the table and its indexes: profile, guards, code, credential, sessions, subscription. */
  playerBytes: 6_000,
  /** What an event takes: interaction, code, stored answer. */
  eventBytes: 2_000,
  /**
   * Lambda's pollers of the queue, and how often each asks in a minute when nothing is there: for 20 seconds each time. With
   * a most of concurrency they stay five: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  pollers: 5,
  pollsPerMinute: 3,
  /** So many functions read keys in Systems Manager, which KMS decrypts, and again after so many minutes. */
  keyReaders: 9,
  keyMinutes: 5,
  /** Of all players those who are zombies with less than a day left, and how many of them a read unit counts. */
  hungry: 0.125,
  hungryPerUnit: 30,
  /** Where they are more than a thousand, a process counts them once a minute: of many who ask, so many have it count. */
  counting: 0.1,
  /** Our own, and of the codes of refusals those that come in any hour: a metric is paid for the hours in which it is told. */
  metrics: 11,
  codes: 8,
  /** Of ours, what a stage tells of when nobody plays: the sweep's lag. */
  idleMetrics: 1,
  /** The metrics that alarms look at: each is paid as an alarm. */
  alarms: 21,
  dashboards: 1,
} as const;

export const ASSUMPTIONS: readonly string[] = [
  `a round trip to the database takes ${ASSUMED.tripMs} ms, and a request takes ${ASSUMED.trips} of them`,
  `a processor of Lambda is as fast as the one that was measured on, and a function has its memory's share of it (${WHOLE_PROCESSOR} MB are a whole one)`,
  "lists, and all that no bench has timed, take as much processor as a hunt; a new account as much as a login",
  `${ASSUMED.cold * 100} % of all invocations are cold`,
  `a request leaves ${ASSUMED.logBytes} bytes in the logs, kept for ${ASSUMED.logDays} days`,
  `an answer has ${ASSUMED.answerBytes} bytes, a list ${ASSUMED.listBytes}, a push ${ASSUMED.pushBytes}`,
  `a player takes ${ASSUMED.playerBytes} bytes of the table, an event ${ASSUMED.eventBytes}`,
  `the queue of each stage is polled ${ASSUMED.pollers * ASSUMED.pollsPerMinute} times a minute, also when it is idle`,
  `pages are on another address than the service, so that a browser asks first (OPTIONS), once in ${PREFLIGHT_HOURS} hours for each address that it calls; Safari forgets sooner`,
  `one player in ${1 / ASSUMED.hungry} is a zombie with less than a day left, whom the list of the starving counts, ${ASSUMED.hungryPerUnit} for a read unit; where they are over ${formatNumber(COUNTED_ANEW)}, a process counts them once a minute, and one request in ${1 / ASSUMED.counting} at least has them counted`,
  `${ASSUMED.metrics} metrics, refusals of ${ASSUMED.codes} kinds in every hour, alarms on ${ASSUMED.alarms} metrics and ${ASSUMED.dashboards} dashboard`,
  "everybody joins once, has one browser that is pushed to, and plays as the traffic in scripts/cost/trafficModel.ts says",
];

/** How long an invocation lasts that takes so much of a whole processor, in milliseconds. */
export const durationOf = (cpuMs: number, memory: number): number =>
  cpuMs / Math.min(1, memory / WHOLE_PROCESSOR) + ASSUMED.trips * ASSUMED.tripMs;

/** The list whose counts are added up: the one answer that costs more the larger a game is. */
const COUNTS_ALL = "page of 100 starving";

/** Read units that an operation takes beside what was measured in a game of some thousands. */
export const extraReadUnits = (operation: string, players: number): number => {
  const hungry = players * ASSUMED.hungry;
  const inBetween = (players * (DAILY_RATES[COUNTS_ALL] ?? 0)) / DAY_MINUTES;
  const counting = hungry > COUNTED_ANEW ? Math.max(ASSUMED.counting, 1 / (1 + inBetween)) : 1;
  return operation === COUNTS_ALL ? (hungry / ASSUMED.hungryPerUnit) * counting : 0;
};
