/** Courses of metrics, for each alarm some that must raise it and some that must not. */
import type { Data, Series } from "./alarmEvaluation.ts";

/** Minutes begin with 0; nothing happens before. */
export interface Course {
  what: string;
  data: Data;
  /** The first and the last minute at whose end the alarm may be raised, once; undefined if it must not be raised. */
  raised?: readonly [number, number];
  /** The minute at whose end it must be over. */
  over?: number;
}

/** Values in these minutes, and these in all others. */
const at =
  (minutes: readonly number[], values: readonly number[], others: readonly number[] = []): Series =>
  (minute) =>
    minutes.includes(minute) ? values : others;

const from = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, n) => first + n);

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

/** A value until a minute, and another one from then on. */
const until =
  (end: number, values: readonly number[], later: readonly number[] = []): Series =>
  (minute) =>
    minute >= 0 && minute < end ? values : later;

/** Failures of a function that runs often: of each invocation 1 or 0. */
const failing = (minutes: readonly number[], failures: number, others: readonly number[]): Data => ({
  metric: at(minutes, times(failures, 1), others),
});

/** Responses of a minute: failed ones, and good ones. A metric may report good ones as zeros or not at all. */
const responses = (failed: readonly (readonly [number, number])[], good: number): Data => ({
  metric: (minute) => {
    const [, count = 0] = failed.find(([when]) => when === minute) ?? [];
    return [...times(count, 1), ...times(good, 0)];
  },
});

const faults: Course[] = [0, 60].flatMap((good) => [
  {
    what: `every request of a single open page fails, next to ${good} other requests`,
    data: responses(
      from(0, 10).map((minute) => [minute, 4]),
      good,
    ),
    raised: [2, 4],
    over: 20,
  },
  {
    what: `two requests fail in three minutes of five, next to ${good}`,
    data: responses(
      [0, 2, 4].map((minute) => [minute, 2]),
      good,
    ),
    raised: [4, 4],
  },
  {
    what: `three visitors meet the cold starts of a new account, next to ${good} requests`,
    data: responses(
      [
        [0, 9],
        [1, 4],
      ],
      good,
    ),
  },
  {
    what: `one request a minute finds the database busy, next to ${good}`,
    data: responses(
      from(0, 10).map((minute) => [minute, 1]),
      good,
    ),
  },
]);

/** Latencies of the requests of a minute, in milliseconds: some are slow. */
const latencies =
  (count: number, slow: number, ms: number, minutes: readonly number[]): Series =>
  (minute) => {
    const many = Math.round(minutes.includes(minute) ? count * slow : 0);
    return [...times(many, ms), ...times(count - many, 200)];
  };

const HOUR = from(0, 60);

const slow: Course[] = [
  {
    what: "one request in five is slow on an evening of 300 players",
    data: { metric: latencies(43, 0.2, 5_000, HOUR) },
    raised: [10, 14],
    over: 75,
  },
  { what: "they are for nine minutes", data: { metric: latencies(43, 0.2, 5_000, from(0, 9)) } },
  {
    what: "one in twenty of 2,000 players reads the complete tree",
    data: { metric: latencies(285, 0.05, 4_000, HOUR) },
  },
  { what: "everything is a cold start", data: { metric: latencies(43, 1, 600, HOUR) } },
  { what: "everything takes three seconds", data: { metric: latencies(43, 1, 3_000, HOUR) } },
  {
    what: "one in five is slow for five minutes, again and again",
    data: { metric: latencies(43, 0.2, 5_000, [...from(0, 5), ...from(10, 15), ...from(20, 25)]) },
  },
  { what: "nobody plays", data: {} },
  { what: "few requests are slow at night", data: { metric: latencies(10, 1, 5_000, HOUR) } },
];

const silent: Course[] = [
  { what: "no sweep runs any more", data: { metric: at(from(-99, 0), [1]) }, raised: [4, 8] },
  { what: "sweeps run twice a minute", data: { metric: () => [1, 1] } },
  { what: "sweeps are missing for four minutes", data: { metric: at(from(0, 4), [], [1]) } },
];

const held: Course[] = [
  {
    what: "sweeps are held, and some of them are late",
    data: { metric: at([0, 1, 3, 4, 6, 7, 9, 10], [1]) },
    raised: [0, 0],
    over: 32,
  },
  { what: "no sweep is held", data: {} },
];

const failedSweeps: Course[] = [
  { what: "each sweep fails", data: failing(from(0, 10), 1, [0]), raised: [2, 2], over: 32 },
  { what: "three sweeps of five fail", data: failing([0, 2, 4], 1, [0]), raised: [4, 4] },
  { what: "two sweeps of five fail", data: failing([0, 1, 5, 6, 10, 11], 1, [0]) },
  { what: "no sweep runs, which has an alarm of its own", data: {} },
];

const failedDeliveries: Course[] = [
  {
    what: "two messages fail and a run is cut off",
    data: { messages: at([0], [2]), runs: at([3], [1], [0]) },
    raised: [3, 3],
    over: 24,
  },
  { what: "three messages fail", data: { messages: at([0], [3]), runs: () => [0] }, raised: [0, 0] },
  { what: "three runs are cut off", data: { runs: at([0], [1, 1, 1]) }, raised: [0, 0] },
  { what: "two messages of many runs fail", data: { messages: at([0, 6], [2]), runs: () => times(9, 0) } },
  { what: "nothing is delivered", data: {} },
];

const failedAnnouncements: Course[] = [
  { what: "a batch fails three times", data: failing([0], 3, [0]), raised: [0, 0], over: 24 },
  { what: "three batches fail in five minutes", data: failing([0, 2, 4], 1, [0, 0]), raised: [4, 4] },
  { what: "a batch fails twice", data: failing([0, 5, 10], 2, [0, 0, 0, 0]) },
  { what: "nothing is announced", data: {} },
];

/** The messages of a queue, which reports none in a third of the minutes. */
const messages = (end: number): Data => ({
  metric: (minute) => (minute >= 0 && minute % 3 === 2 ? [] : until(end, [1], [0])(minute)),
});

const failures: Course[] = [
  { what: "a message is there until somebody removes it", data: messages(30), raised: [0, 0], over: 40 },
  { what: "the queue is empty", data: { metric: () => [0] } },
  { what: "the queue is empty and reports nothing any more", data: {} },
];

/** The age of the oldest message, which grows by a minute each minute; none is reported in a third of the minutes. */
const growing =
  (end: number, each: number, others: readonly number[]): Series =>
  (minute) => {
    if (minute < 0 || minute >= end) return others;
    return minute % 3 === 2 ? [] : [minute * each, ...others];
  };
const oldest = (end: number): Data => ({ metric: growing(end, 60, [0]) });

const old: Course[] = [
  { what: "a message waits", data: oldest(60), raised: [31, 31], over: 66 },
  // It is then received for the sixth time, and put aside.
  { what: "a message fails five times, at intervals of six minutes", data: oldest(31) },
  { what: "nothing is queued", data: {} },
];

const late: Course[] = [
  {
    what: "the stream falls behind, while new records are read too",
    data: { metric: growing(30, 60_000, [10]) },
    raised: [6, 6],
    over: 37,
  },
  {
    what: "records are announced after five minutes",
    data: { metric: (minute) => (minute < 0 || minute > 30 ? [10] : [300_000, 10]) },
  },
  { what: "many are announced at once", data: { metric: () => times(50, 10_000) } },
  { what: "nothing happens in the game", data: {} },
];

const METRICS_OF_TABLE = ["reads", "writes"].flatMap((kind) => [
  kind,
  ...["gsi1", "gsi2", "gsi3"].map((index) => `${kind}_${index}`),
]);
const throttled: Course[] = [
  ...METRICS_OF_TABLE.map(
    (metric): Course => ({
      what: `fifty ${metric} are throttled in five minutes, and none later`,
      data: { [metric]: until(5, [10]) },
      raised: [4, 4],
      over: 14,
    }),
  ),
  {
    what: "all are, a few each",
    data: Object.fromEntries(METRICS_OF_TABLE.map((metric) => [metric, at([0, 3], [4])])),
    raised: [3, 3],
    over: 13,
  },
  { what: "49 are throttled while a partition splits", data: { writes: at([0], [49]) } },
  { what: "none is throttled", data: {} },
];

const stuck: Course[] = [
  {
    what: "a mail is tried again every five minutes, and none is accepted",
    data: { metric: (minute) => (minute >= 20 && minute < 30 && minute % 5 === 0 ? [1] : []) },
    raised: [20, 20],
    over: 75,
  },
  { what: "every mail is accepted", data: {} },
];

const bounces: Course[] = [
  {
    what: "three of twenty addresses are refused",
    data: { metric: at([3], [...times(3, 100), ...times(17, 0)]) },
    raised: [3, 3],
  },
  {
    what: "the third of few is refused an hour after the first",
    data: { metric: at([3, 40, 62], [100, 0]) },
    raised: [62, 62],
  },
  {
    what: "three of sixty addresses are refused",
    data: { metric: at([3], [...times(3, 100), ...times(57, 0)]) },
  },
  { what: "the only address is refused, and another one later", data: { metric: at([3, 50], [100]) } },
  { what: "every mail is accepted", data: { metric: at([3], times(9, 0)) } },
];

/** The courses of each alarm, by its name in the template. */
export const COURSES: Readonly<Record<string, readonly Course[]>> = {
  ...{ ApiFaults: faults, ApiSlow: slow, SweepSilent: silent, SweepHeld: held, SweepErrors: failedSweeps },
  ...{ DeliverErrors: failedDeliveries, AnnounceErrors: failedAnnouncements },
  ...{ DeadLettersThere: failures, RecordsPassedOver: failures, SweepsMissed: failures },
  ...{ QueueOld: old, StreamOld: late, TableThrottled: throttled },
  ...{ MailStuck: stuck, MailBounces: bounces },
};
