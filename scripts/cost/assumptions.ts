/** Assumptions of the estimate: values that no benchmark has measured. They are printed with every estimate. */
import { CACHE_COUNTS_ABOVE } from "../../lib/app/starvation/hungerList.ts";
import { formatNumber } from "../cli/format.ts";
import { PREFLIGHT_HOURS } from "./traffic.ts";
import { DAILY_RATES, FILES, OPENINGS, POLL_SECONDS } from "./trafficModel.ts";

export const DAY_MINUTES = 1_440;

/** The memory in MB at which a function has one full CPU. */
const FULL_CPU_MB = 1_769;

export const ASSUMED = {
  /** Duration of one database round trip, in milliseconds. */
  tripMs: 5,
  /** Sequential round trips per request. */
  trips: 3,
  /** The share of invocations that are cold starts. */
  cold: 0.02,
  /** Log bytes per request: the service's line, the gateway's, and Lambda's own. */
  logBytes: 1_200,
  /** Retention of the logs, in days. */
  logDays: 30,
  /** Bytes of a response with its headers; list responses are compressed. */
  answerBytes: 1_000,
  listBytes: 6_000,
  /** Bytes of a compressed file of the web app, on average, with its headers. */
  fileBytes: 6_000,
  /** Bytes of a preflight response: headers only. */
  preflightBytes: 500,
  /** Bytes of a push message, with headers and its share of a TLS handshake. */
  pushBytes: 2_000,
  /** What one mail takes: units, and invocations of the workers of the stream and of the queue. A test measures it. */
  mail: { read: 6, write: 9, invocations: 2 },
  /** Bytes of a mail with what SMTP and TLS add, and of its items, which stay for 30 days. */
  mailBytes: 5_000,
  mailItemBytes: 1_000,
  /** Bytes per player in the table and its indexes: profile, guards, code, credential, sessions, subscription. */
  playerBytes: 6_000,
  /** Bytes per event: interaction, code, stored response. */
  eventBytes: 2_000,
  /**
   * Lambda's pollers of the queue, and polls per minute of each when it is empty: each waits 20 seconds. With a
   * maximum concurrency there are always five: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  pollers: 5,
  pollsPerMinute: 3,
  /** The number of functions that read keys from Systems Manager, which KMS decrypts, and how often in minutes. */
  keyReaders: 29,
  keyMinutes: 5,
  /** The share of players who are zombies with less than a day left, and how many of them a read unit covers. */
  hungry: 0.125,
  hungryPerUnit: 30,
  /** Above a thousand of them, a process counts them once a minute: the share of requests that trigger a count. */
  counting: 0.1,
  /** Custom metrics. Each is charged for the hours in which it has data. */
  metrics: 11,
  /** Custom metrics of an idle stage: the lag of the sweep. */
  idleMetrics: 1,
  /** Metrics that alarms watch; each is charged as an alarm. */
  alarms: 21,
  /** Metrics and metrics of alarms that exist only with mail. */
  mailMetrics: 5,
  mailAlarms: 3,
  dashboards: 1,
  /** How often the dashboard of a game is opened each day, and the hours of log that it then searches. */
  dashboardViews: 10,
  dashboardHours: 3,
} as const;

/**
 * Returns what an estimate assumes.
 * @param minutesOpen how many minutes a day each player has the web app open
 * @param mails how many mails each player gets
 */
export const assumptionsOf = (minutesOpen: number, mails: number): readonly string[] => [
  `a round trip to the database takes ${ASSUMED.tripMs} ms, and a request takes ${ASSUMED.trips} of them`,
  `a CPU of Lambda is as fast as the one of the benchmarks, and a function has a share of it in proportion to its memory (a full CPU at ${FULL_CPU_MB} MB)`,
  "lists and operations without a benchmark take as much CPU as a hunt; a new account as much as a login",
  `${ASSUMED.cold * 100} % of all invocations are cold starts`,
  `a request writes ${ASSUMED.logBytes} bytes of logs, kept for ${ASSUMED.logDays} days`,
  `a response has ${ASSUMED.answerBytes} bytes, a list ${ASSUMED.listBytes}, a push message ${ASSUMED.pushBytes}`,
  `a player takes ${ASSUMED.playerBytes} bytes in the table, an event ${ASSUMED.eventBytes}`,
  `the queue of each stage is polled ${ASSUMED.pollers * ASSUMED.pollsPerMinute} times a minute, even when it is idle`,
  `every player has the web app open for ${minutesOpen} minutes a day, in which it asks every ${POLL_SECONDS} seconds what is new, mostly nothing`,
  `a player opens it ${OPENINGS} times a day, and loads its ${FILES} files of ${ASSUMED.fileBytes} bytes at the first visit and after a deployment, of which there is one a week`,
  `other web pages have another origin than the service, so browsers send a preflight request (OPTIONS) every ${PREFLIGHT_HOURS} hours for each URL; Safari sends more`,
  `one player in ${1 / ASSUMED.hungry} is a zombie with less than a day left, and the list of the starving counts them, ${ASSUMED.hungryPerUnit} per read unit; above ${formatNumber(CACHE_COUNTS_ABOVE)} a process counts them once a minute, so at least one request in ${1 / ASSUMED.counting} triggers a count`,
  `there are ${ASSUMED.metrics} metrics, alarms on ${ASSUMED.alarms} metrics and ${ASSUMED.dashboards} dashboard, which is opened ${ASSUMED.dashboardViews} times a day and searches the log of ${ASSUMED.dashboardHours} hours`,
  mails === 0
    ? "no mail is sent: --mails counts it"
    : `every player gets ${mails} mails by Amazon SES, each of ${ASSUMED.mailBytes} bytes and alone in its batch, which is accepted at the first attempt, with ${ASSUMED.mailMetrics} metrics and ${ASSUMED.mailAlarms} metrics of alarms more`,
  "there are no webhooks; each adds an invocation and three requests of the queue for every batch of public events, and all together three metrics",
  "every player joins once, has one browser with push messages, and plays as in scripts/cost/trafficModel.ts",
];

/** Returns the duration of an invocation that takes this CPU time, in milliseconds. */
export const durationOf = (cpuMs: number, memory: number): number =>
  cpuMs / Math.min(1, memory / FULL_CPU_MB) + ASSUMED.trips * ASSUMED.tripMs;

/** The list with a total count: the only response whose cost grows with the game. */
const COUNTS_ALL = "page of 100 starving";

/** Returns the read units of an operation beyond what was measured in a game of a few thousand players. */
export const extraReadUnits = (operation: string, players: number): number => {
  const hungry = players * ASSUMED.hungry;
  const inBetween = (players * (DAILY_RATES[COUNTS_ALL] ?? 0)) / DAY_MINUTES;
  const counting = hungry > CACHE_COUNTS_ABOVE ? Math.max(ASSUMED.counting, 1 / (1 + inBetween)) : 1;
  return operation === COUNTS_ALL ? (hungry / ASSUMED.hungryPerUnit) * counting : 0;
};
