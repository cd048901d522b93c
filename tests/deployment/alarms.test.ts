/** Each alarm of the template is raised when it must be, and not otherwise. */
import { describe, expect, it } from "vitest";
import { COURSES, type Course } from "../support/alarmCourses.ts";
import { Alarm, replay, type State, stateOf } from "../support/alarmEvaluation.ts";
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
const faultOf = (alarm: Alarm, [, data, raised, over]: Course, extra: number): string | undefined => {
  const states = replay(alarm, data, MINUTES, extra);
  const raises = states.flatMap((state, minute) =>
    state === "ALARM" && states[minute - 1] !== "ALARM" ? [minute] : [],
  );
  const [first] = raises;
  if (raised === null) return first === undefined ? undefined : `raised in minute ${first}`;
  const [least, most] = raised;
  if (first === undefined) return "not raised";
  if (first < least || first > most) return `raised in minute ${first}`;
  if (raises.length > 1) return `raised again in minute ${raises[1]}`;
  if (over === undefined) return undefined;
  return states.slice(over).includes("ALARM") ? `not over in minute ${over}` : undefined;
};

/** What is wrong with an alarm in all of its courses. */
const faultsOf = (name: string, alarm: Alarm): string[] =>
  (COURSES[name] ?? []).flatMap((course) =>
    EXTRA.flatMap((extra) => {
      const fault = faultOf(alarm, course, extra);
      return fault === undefined ? [] : [`${course[0]} (${extra} more points): ${fault}`];
    }),
  );

it("every alarm has courses that must raise it, and some that must not", () => {
  expect(Object.keys(COURSES).toSorted()).toEqual([...ALARMS.keys()].toSorted());
  for (const courses of Object.values(COURSES)) {
    expect(courses.some(([, , raised]) => raised !== null)).toBe(true);
    expect(courses.some(([, , raised]) => raised === null)).toBe(true);
  }
});

describe.each([...ALARMS])("%s", (name, alarm) => {
  it("is raised when it must be, and is over when the fault is", () => {
    expect(faultsOf(name, alarm)).toEqual([]);
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
