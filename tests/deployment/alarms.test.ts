/** Each alarm of the template is raised when it must be, and not otherwise; a wrong alarm is noticed. */
import { describe, expect, it } from "vitest";
import { COURSES, type Course } from "../support/alarmCourses.ts";
import { Alarm, type Query, replay, type State, stateOf } from "../support/alarmEvaluation.ts";
import { forGame } from "./template.ts";

const ALARMS = new Map(
  forGame
    .ofType("AWS::CloudWatch::Alarm")
    .map(([name, { Properties }]): [string, Alarm] => [name, Alarm.parse(Properties)]),
);

describe("the evaluation is the one that CloudWatch documents", () => {
  const base = { Namespace: "AWS/Lambda", MetricName: "Errors", Period: 60, Statistic: "Sum" };
  const evaluate = (text: string, more: Partial<Alarm>, namespace = base.Namespace): State => {
    const points = text.split(" ").map((one) => ({ value: { X: 1, "0": 0 }[one] }));
    const alarm = Alarm.parse({
      ...{ ...base, Namespace: namespace, EvaluationPeriods: 3, Threshold: 1, ...more },
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
    });
    return stateOf(alarm, points, "INSUFFICIENT_DATA");
  };

  // The tables of https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
  const KEPT = "INSUFFICIENT_DATA";
  it.each<[string, number, State, State, State]>([
    ["0 - X - X", 3, "OK", "OK", "OK"],
    ["0 - - - -", 3, "OK", "OK", "OK"],
    ["- - - - -", 3, KEPT, "ALARM", "OK"],
    ["0 X X - X", 3, "ALARM", "ALARM", "ALARM"],
    ["- - X - -", 3, KEPT, "ALARM", "OK"],
    ["0 - X - X", 2, "ALARM", "ALARM", "ALARM"],
    ["0 0 X 0 X", 2, "ALARM", "ALARM", "ALARM"],
    ["0 - X - -", 2, "OK", "ALARM", "OK"],
    ["- - - - 0", 2, "OK", "ALARM", "OK"],
    ["- - - X -", 2, KEPT, "ALARM", "OK"],
  ])("%s, %i of 3", (points, DatapointsToAlarm, ignored, breaching, notBreaching) => {
    const state = (TreatMissingData: Alarm["TreatMissingData"], namespace?: string) =>
      evaluate(points, { DatapointsToAlarm, TreatMissingData }, namespace);
    expect(state("ignore")).toBe(ignored);
    expect(state("breaching")).toBe(breaching);
    expect(state("notBreaching")).toBe(notBreaching);
    expect(state("notBreaching", "AWS/DynamoDB"), "metrics of DynamoDB").toBe(ignored);
  });
});

/** How many more points than the evaluation periods are looked at: not documented, so no alarm may depend on it. */
const EXTRA = [0, 1, 3];
const MINUTES = 90;

/** Returns what is wrong with an alarm in a course, or undefined. */
const faultOf = (alarm: Alarm, { data, raised, over }: Course, extra: number): string | undefined => {
  const states = replay(alarm, data, MINUTES, extra);
  const raises = states.flatMap((state, minute) =>
    state === "ALARM" && states[minute - 1] !== "ALARM" ? [minute] : [],
  );
  const [first] = raises;
  if (raised === undefined) return first === undefined ? undefined : `raised in minute ${first}`;
  const [least, most] = raised;
  if (first === undefined) return "not raised";
  if (first < least || first > most) return `raised in minute ${first}`;
  if (raises.length > 1) return `raised again in minute ${raises[1]}`;
  if (over === undefined) return undefined;
  return states.slice(over).includes("ALARM") ? `not over in minute ${over}` : undefined;
};

const ONE = ["Average", "Maximum", "Minimum", "SampleCount", "p50", "p99"].map((one) => `Statistic ${one}`);

/** Wrong versions that behave as the right one does, with the reason. */
const EQUIVALENT: Record<string, string[]> = {
  // Each run is reported as 1, and no run as nothing.
  SweepSilent: [...ONE, "Threshold times 0.1", "Threshold times 0.5"],
  SweepHeld: [...ONE, "Threshold times 0.1", "Threshold times 0.5"],
  // Messages are whole, and of few values the 99th percentile is the largest.
  ...Object.fromEntries(
    ["DeadLettersThere", "RecordsPassedOver", "SweepsMissed"].map((name) => [
      name,
      ["Statistic Sum", "Statistic p99", "Threshold times 0.1", "Threshold times 0.5"],
    ]),
  ),
  QueueOld: ["Statistic p99"],
  StreamOld: ["Statistic p99"],
  // CloudWatch ignores this setting for metrics of DynamoDB.
  TableThrottled: ["missing data is breaching"],
};

/** What is wrong with an alarm in all of its courses. */
function* faultsOf(name: string, alarm: Alarm): Generator<string, undefined> {
  for (const course of COURSES[name] ?? []) {
    for (const extra of EXTRA) {
      const fault = faultOf(alarm, course, extra);
      if (fault !== undefined) yield `${course.what} (${extra} more points): ${fault}`;
    }
  }
  return undefined;
}

const mapQueries = (alarm: Alarm, change: (query: Query) => Query[]): Alarm =>
  "Metrics" in alarm ? { ...alarm, Metrics: alarm.Metrics.flatMap(change) } : alarm;

const withPeriod = (alarm: Alarm, Period: number): Alarm =>
  "Metrics" in alarm
    ? mapQueries(alarm, (query) =>
        "MetricStat" in query ? [{ ...query, MetricStat: { ...query.MetricStat, Period } }] : [query],
      )
    : { ...alarm, Period };

const withStatistic = (alarm: Alarm, statistic: string): Alarm => {
  if ("Metrics" in alarm) {
    return mapQueries(alarm, (query) =>
      "MetricStat" in query ? [{ ...query, MetricStat: { ...query.MetricStat, Stat: statistic } }] : [query],
    );
  }
  const { Statistic: _, ExtendedStatistic: __, ...rest } = alarm;
  return statistic.startsWith("p")
    ? { ...rest, ExtendedStatistic: statistic }
    : { ...rest, Statistic: statistic };
};

/** The metrics of an alarm without one of them, and its expression without FILL. */
const lessOf = (alarm: Alarm): [string, Alarm][] => {
  if (!("Metrics" in alarm)) return [];
  const without = alarm.Metrics.flatMap((left): [string, Alarm][] =>
    "Expression" in left
      ? []
      : [[`without ${left.Id}`, mapQueries(alarm, (query) => (query === left ? [] : [query]))]],
  );
  const isFilled = alarm.Metrics.some((query) => "Expression" in query && query.Expression.includes("FILL"));
  const unfilled = mapQueries(alarm, (query) =>
    "Expression" in query ? [{ Expression: "SUM(METRICS())" }] : [query],
  );
  return [...without, ...(isFilled ? [["without FILL", unfilled] satisfies [string, Alarm]] : [])];
};

const COMPARISONS = ["GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold"] as const;

/** Returns wrong versions of an alarm, by what is wrong. */
const wrongOnes = (alarm: Alarm): [string, Alarm][] => [
  ...[60, 300, 900].map((seconds): [string, Alarm] => [`Period ${seconds}`, withPeriod(alarm, seconds)]),
  ...["Sum", "Average", "Maximum", "Minimum", "SampleCount", "p50", "p99"].map((one): [string, Alarm] => [
    `Statistic ${one}`,
    withStatistic(alarm, one),
  ]),
  ...[0.1, 0.5, 2, 10].map((factor): [string, Alarm] => [
    `Threshold times ${factor}`,
    { ...alarm, Threshold: alarm.Threshold * factor },
  ]),
  ...[1, 3, 5].flatMap((EvaluationPeriods): [string, Alarm][] =>
    [1, 2, 3, 5]
      .filter((count) => count <= EvaluationPeriods)
      .map((DatapointsToAlarm) => [
        `${DatapointsToAlarm} of ${EvaluationPeriods} periods`,
        { ...alarm, EvaluationPeriods, DatapointsToAlarm },
      ]),
  ),
  ...COMPARISONS.map((ComparisonOperator): [string, Alarm] => [
    ComparisonOperator,
    { ...alarm, ComparisonOperator },
  ]),
  ...(["breaching", "notBreaching"] as const).map((TreatMissingData): [string, Alarm] => [
    `missing data is ${TreatMissingData}`,
    { ...alarm, TreatMissingData },
  ]),
  ["few values are evaluated", { ...alarm, EvaluateLowSampleCountPercentile: undefined }],
  ...lessOf(alarm),
];

/** Whether two alarms are the same: five of five periods is also the default of five periods. */
const textOf = ({ DatapointsToAlarm, ...alarm }: Alarm): string =>
  JSON.stringify({ ...alarm, DatapointsToAlarm: DatapointsToAlarm ?? alarm.EvaluationPeriods });

it("every alarm has courses that must raise it, and some that must not", () => {
  expect(Object.keys(COURSES).toSorted()).toEqual([...ALARMS.keys()].toSorted());
  for (const courses of Object.values(COURSES)) {
    expect(courses.some(({ raised }) => raised !== undefined)).toBe(true);
    expect(courses.some(({ raised }) => raised === undefined)).toBe(true);
  }
});

describe.each([...ALARMS])("%s", (name, alarm) => {
  it("is raised when it must be, and is over when the fault is", () => {
    expect([...faultsOf(name, alarm)]).toEqual([]);
  });

  it("would be noticed with another period, statistic, threshold, number of periods, or treatment of gaps", () => {
    const unnoticed = wrongOnes(alarm).filter(
      ([, wrong]) => textOf(wrong) !== textOf(alarm) && faultsOf(name, wrong).next().done,
    );
    expect(unnoticed.map(([what]) => what)).toEqual(EQUIVALENT[name] ?? []);
  });
});

describe("thresholds fit what they are about", () => {
  const alarm = (name: string) => forGame.resource(name).Properties;

  it("the sweep is silent after five of its minutes, and fails often enough before to be noticed", () => {
    expect(forGame.resource("SweepEventsRuleSchedule1").Properties.ScheduleExpression).toBe("rate(1 minute)");
    expect(alarm("SweepSilent")).toMatchObject({ Period: 60, EvaluationPeriods: 5 });
    const { Threshold, Period } = alarm("SweepErrors");
    expect(Threshold).toBeLessThan(Period / 60);
  });

  it("a message is old when it has been received as often as it may be", () => {
    const { RedrivePolicy, VisibilityTimeout } = forGame.resource("Queue").Properties;
    expect(alarm("QueueOld").Threshold).toBe(RedrivePolicy.maxReceiveCount * VisibilityTimeout);
  });

  it("the stream is old long before its records are skipped", () => {
    const { MaximumRecordAgeInSeconds } = forGame.resource(
      "AnnounceEventSourceMappingDynamodbTable",
    ).Properties;
    expect(alarm("StreamOld").Threshold).toBeLessThan((MaximumRecordAgeInSeconds * 1_000) / 100);
  });

  it("a request is slow before it is cut off", () => {
    for (const [name, { Properties }] of forGame.functions)
      expect(alarm("ApiSlow").Threshold, name).toBeLessThan(Properties.Timeout * 1_000);
  });
});
