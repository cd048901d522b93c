/** Courses of metrics, for each alarm some that must raise it and some that must not. */
import type { Data, Series } from "./alarmEvaluation.ts";

/**
 * What happens; the values of the metrics; the first and the last minute at whose end the alarm may be raised, once, or
 * `never`; and the minute at whose end it must be over. Minutes begin with 0; nothing happens before.
 */
export type Course = [what: string, data: Data, raised: readonly [number, number] | null, over?: number];
const never = null;

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

/** Failed responses in these minutes, next to good ones. */
const failed = (minutes: readonly number[], count: number, good: number): Data =>
  responses(
    minutes.map((minute) => [minute, count]),
    good,
  );

const COLD_STARTS = [
  [0, 9],
  [1, 4],
] as const;
const faults: Course[] = [0, 60].flatMap((good): Course[] => [
  [
    `every request of a single open page fails, next to ${good} others`,
    failed(from(0, 10), 4, good),
    [2, 4],
    20,
  ],
  [`two requests fail in three minutes of five, next to ${good}`, failed([0, 2, 4], 2, good), [4, 4]],
  [
    `three visitors meet the cold starts of a new account, next to ${good}`,
    responses(COLD_STARTS, good),
    never,
  ],
  [`one request a minute finds the database busy, next to ${good}`, failed(from(0, 10), 1, good), never],
]);

/** Latencies of the requests of a minute, in milliseconds: some are slow. */
const latencies = (
  count: number,
  slow: number,
  ms: number,
  minutes: readonly number[] = from(0, 60),
): Data => ({
  metric: (minute) => {
    const many = Math.round(minutes.includes(minute) ? count * slow : 0);
    return [...times(many, ms), ...times(count - many, 200)];
  },
});

const slow: Course[] = [
  ["one request in five is slow on an evening of 300 players", latencies(43, 0.2, 5_000), [10, 14], 75],
  ["they are for nine minutes", latencies(43, 0.2, 5_000, from(0, 9)), never],
  ["one in twenty of 2,000 players reads the complete tree", latencies(285, 0.05, 4_000), never],
  ["everything is a cold start", latencies(43, 1, 600), never],
  ["everything takes three seconds", latencies(43, 1, 3_000), never],
  [
    "one in five is slow for five minutes, again and again",
    latencies(43, 0.2, 5_000, [...from(0, 5), ...from(10, 15), ...from(20, 25)]),
    never,
  ],
  ["nobody plays", {}, never],
  ["few requests are slow at night", latencies(10, 1, 5_000), never],
];

const silent: Course[] = [
  ["no sweep runs any more", { metric: at(from(-99, 0), [1]) }, [4, 8]],
  ["sweeps run twice a minute", { metric: () => [1, 1] }, never],
  ["sweeps are missing for four minutes", { metric: at(from(0, 4), [], [1]) }, never],
];

const held: Course[] = [
  ["sweeps are held, and some are late", { metric: at([0, 1, 3, 4, 6, 7, 9, 10], [1]) }, [0, 0], 32],
  ["no sweep is held", {}, never],
];

const failedSweeps: Course[] = [
  ["each sweep fails", failing(from(0, 10), 1, [0]), [2, 2], 32],
  ["three sweeps of five fail", failing([0, 2, 4], 1, [0]), [4, 4]],
  ["two sweeps of five fail", failing([0, 1, 5, 6, 10, 11], 1, [0]), never],
  ["no sweep runs, which has an alarm of its own", {}, never],
];

const failedDeliveries: Course[] = [
  ["two messages fail and a run is cut off", { messages: at([0], [2]), runs: at([3], [1], [0]) }, [3, 3], 24],
  ["three messages fail", { messages: at([0], [3]), runs: () => [0] }, [0, 0]],
  ["three runs are cut off", { runs: at([0], [1, 1, 1]) }, [0, 0]],
  ["two messages of many runs fail", { messages: at([0, 6], [2]), runs: () => times(9, 0) }, never],
  ["nothing is delivered", {}, never],
];

const failedAnnouncements: Course[] = [
  ["a batch fails three times", failing([0], 3, [0]), [0, 0], 24],
  ["three batches fail in five minutes", failing([0, 2, 4], 1, [0, 0]), [4, 4]],
  ["a batch fails twice", failing([0, 5, 10], 2, [0, 0, 0, 0]), never],
  ["nothing is announced", {}, never],
];

/** A queue, which reports nothing in a third of the minutes. */
const oneMessage: Series = (minute) => (minute >= 0 && minute % 3 === 2 ? [] : until(30, [1], [0])(minute));

const failures: Course[] = [
  ["a message is there until somebody removes it", { metric: oneMessage }, [0, 0], 40],
  ["the queue is empty", { metric: () => [0] }, never],
  ["the queue is empty and reports nothing any more", {}, never],
];

/** The age of the oldest message, which grows by a minute each minute; none is reported in a third of the minutes. */
const growing = (end: number, each: number, others: readonly number[]): Data => ({
  metric: (minute) => {
    if (minute < 0 || minute >= end) return others;
    return minute % 3 === 2 ? [] : [minute * each, ...others];
  },
});

const old: Course[] = [
  ["a message waits", growing(60, 60, [0]), [31, 31], 66],
  // It is then received for the sixth time, and put aside.
  ["a message fails five times, at intervals of six minutes", growing(31, 60, [0]), never],
  ["nothing is queued", {}, never],
];

const late: Course[] = [
  ["the stream falls behind, while new records are read too", growing(30, 60_000, [10]), [6, 6], 37],
  ["records are announced after five minutes", { metric: at(from(0, 31), [300_000, 10], [10]) }, never],
  ["many are announced at once", { metric: () => times(50, 10_000) }, never],
  ["nothing happens in the game", {}, never],
];

const METRICS_OF_TABLE = ["reads", "writes"].flatMap((kind) => [
  kind,
  ...["gsi1", "gsi2", "gsi3"].map((index) => `${kind}_${index}`),
]);
const throttled: Course[] = [
  ...METRICS_OF_TABLE.map(
    (metric): Course => [
      `fifty ${metric} are throttled in five minutes`,
      { [metric]: until(5, [10]) },
      [4, 4],
      14,
    ],
  ),
  [
    "all are, a few each",
    Object.fromEntries(METRICS_OF_TABLE.map((metric) => [metric, at([0, 3], [4])])),
    ...([[3, 3], 13] as const),
  ],
  ["49 are throttled while a partition splits", { writes: at([0], [49]) }, never],
  ["none is throttled", {}, never],
];

const stuck: Course[] = [
  ["a mail is tried again every five minutes", { metric: at([20, 25], [1]) }, [20, 20], 75],
  ["every mail is accepted", {}, never],
];

const bounces: Course[] = [
  ["three of twenty addresses are refused", { metric: at([3], [...times(3, 100), ...times(17, 0)]) }, [3, 3]],
  ["the third of few is refused an hour later", { metric: at([3, 40, 62], [100, 0]) }, [62, 62]],
  ["three of sixty addresses are refused", { metric: at([3], [...times(3, 100), ...times(57, 0)]) }, never],
  ["the only address is refused, and another one later", { metric: at([3, 50], [100]) }, never],
  ["every mail is accepted", { metric: at([3], times(9, 0)) }, never],
];

/** The courses of each alarm, by its name in the template. */
export const COURSES: Readonly<Record<string, readonly Course[]>> = {
  ...{ ApiFaults: faults, ApiSlow: slow, SweepSilent: silent, SweepHeld: held, SweepErrors: failedSweeps },
  ...{ DeliverErrors: failedDeliveries, AnnounceErrors: failedAnnouncements },
  ...{ DeadLettersThere: failures, RecordsPassedOver: failures, SweepsMissed: failures },
  ...{ QueueOld: old, StreamOld: late, TableThrottled: throttled },
  ...{ MailStuck: stuck, MailBounces: bounces },
};
