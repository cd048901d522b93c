/**
 * Alarms and the dashboard refer to existing resources and show all metrics of the code. alarms.test.ts has when each alarm
 * is raised.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS, NAMESPACE } from "../../lib/runtime/metrics.ts";
import { ASSUMED } from "../../scripts/cost/assumptions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { forGame } from "./template.ts";

interface Statistic {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string | { Ref?: string; "Fn::GetAtt"?: [string, string] } }[];
}

/** A metric by namespace and name, and its dimensions, of which those of a resource have its type. */
const textOf = ({ Namespace, MetricName, Dimensions = [] }: Statistic): string => {
  const where = Dimensions.map(({ Name, Value }) => {
    if (typeof Value === "string") return `${Name}=${Value}`;
    const [resource = "", attribute = "Name"] = Value["Fn::GetAtt"] ?? [Value.Ref];
    return `${Name}=${forGame.resource(resource).Type}${attribute.replace(/^\w*Name$/, "")}`;
  });
  return [Namespace, MetricName, ...where].join(" ");
};

const alarms = forGame.ofType("AWS::CloudWatch::Alarm").map(([name, { Properties }]) => {
  const { Metrics = [{ MetricStat: { Metric: Properties } }] } = Properties;
  const queries: { MetricStat?: { Metric: Statistic } }[] = Metrics;
  // Queries without a metric are expressions.
  const watched = queries.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []).map(textOf);
  return { name, Properties, watched };
});

const dashboard: string = forGame.resource("Dashboard").Properties.DashboardBody["Fn::Sub"];
const namesIn = (pattern: RegExp): string[] => [...dashboard.matchAll(pattern)].map(([, name = ""]) => name);

const ownMetrics = Object.keys(METRICS);

const indexes: string[] = forGame
  .resource("Table")
  .Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Patterns of all existing metrics, and of their dimensions. Two also exist for the whole account, without a dimension. */
const EXISTING = [
  ["AWS/ApiGateway (Count|4xx|5xx|Latency)", " ApiId=AWS::ApiGatewayV2::Api"],
  ["AWS/Lambda (Invocations|Errors|IteratorAge)", " FunctionName=AWS::Lambda::Function"],
  ["AWS/Lambda (Throttles|ConcurrentExecutions)", "( FunctionName=AWS::Lambda::Function)?"],
  ["AWS/SQS Approximate(NumberOfMessagesVisible|AgeOfOldestMessage)", " QueueName=AWS::SQS::Queue"],
  [
    "AWS/DynamoDB ((Read|Write)ThrottleEvents|Consumed(Read|Write)CapacityUnits)",
    ` TableName=AWS::DynamoDB::Table( GlobalSecondaryIndexName=(${indexes.join("|")}))?`,
  ],
  [`${NAMESPACE} (${ownMetrics.join("|")})`, " service=zombie-game-spring"],
] as const;
const oneOf = (patterns: string[]) => new RegExp(`^(${patterns.join("|")})$`);

describe("the alarms", () => {
  it.each(alarms)(
    "$name watches existing resources and notifies ALARM_EMAIL",
    ({ name, Properties, watched }) => {
      // A missing sweep has no data, so only its alarm is raised below the threshold.
      const isSilence = name === "SweepSilent";
      expect(Properties.ComparisonOperator).toMatch(isSilence ? /^LessThan/ : /^GreaterThan/);
      expect(Properties.TreatMissingData).toBe(isSilence ? "breaching" : "notBreaching");
      const existing = oneOf(EXISTING.map((parts) => parts.join("")));
      for (const one of watched) expect(one).toMatch(existing);
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
      expect(watched.length).toBeGreaterThan(0);
      expect(watched.length).toBeLessThanOrEqual(10);
      expect(Properties.AlarmActions).toEqual([{ Ref: "Alarms" }]);
      // CloudWatch would execute these for each alarm that it creates.
      expect(Properties).not.toHaveProperty("OKActions");
      expect(Properties).not.toHaveProperty("InsufficientDataActions");
    },
  );

  it("watch throttling of the table and of each index", () => {
    const throttled = alarms.find(({ name }) => name === "TableThrottled")?.watched ?? [];
    for (const name of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
      const ofTable = `AWS/DynamoDB ${name} TableName=AWS::DynamoDB::Table`;
      const ofIndexes = indexes.map((index) => `${ofTable} GlobalSecondaryIndexName=${index}`);
      expect(throttled).toEqual(expect.arrayContaining([ofTable, ...ofIndexes]));
    }
  });
});

describe("the mail that an alarm is over", () => {
  const { EventPattern, Targets } = forGame.resource("AlarmOver").Properties;

  /** Whether EventBridge selects an event, by the two kinds of conditions that the pattern has. */
  const isSelected = (pattern: unknown, event: unknown): boolean => {
    if (Array.isArray(pattern)) {
      return pattern.some((one) =>
        typeof one === "string" ? one === event : String(event).startsWith(one.prefix),
      );
    }
    if (!isRecord(pattern) || !isRecord(event)) return false;
    return Object.entries(pattern).every(([name, inner]) => isSelected(inner, event[name]));
  };
  /** As in https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html */
  const change = (alarmName: string, before: string, after: string) => ({
    source: "aws.cloudwatch",
    "detail-type": "CloudWatch Alarm State Change",
    detail: { alarmName, state: { value: after }, previousState: { value: before } },
  });

  it("is sent when an alarm of this stage was raised, and not when it was created", () => {
    const names = alarms.map(({ Properties }): string => Properties.AlarmName);
    for (const name of names) {
      expect(isSelected(EventPattern, change(name, "ALARM", "OK")), name).toBe(true);
      for (const [before, after] of [
        ["INSUFFICIENT_DATA", "OK"],
        ["INSUFFICIENT_DATA", "ALARM"],
        ["OK", "ALARM"],
      ] as const) {
        expect(isSelected(EventPattern, change(name, before, after)), name).toBe(false);
      }
      const other = name.replace("spring", "spring2");
      expect(isSelected(EventPattern, change(other, "ALARM", "OK")), other).toBe(false);
    }
  });

  it("names the alarm, the time and the fault", () => {
    const [{ Arn, InputTransformer }] = Targets;
    const { InputPathsMap, InputTemplate } = InputTransformer;
    expect(Object.values(InputPathsMap)).toEqual([
      ...["$.detail.alarmName", "$.detail.state.timestamp", "$.detail.configuration.description"],
    ]);
    for (const name of Object.keys(InputPathsMap)) expect(InputTemplate).toContain(`<${name}>`);
    // A text is a JSON string, in which CloudWatch's descriptions must not end it.
    expect(JSON.parse(InputTemplate)).toBeTypeOf("string");
    for (const { Properties } of alarms) expect(Properties.AlarmDescription).not.toMatch(/["\\]/);
    // roles.test.ts judges who may publish.
    expect(Arn).toEqual({ Ref: "Alarms" });
  });
});

describe("the dashboard", () => {
  it("stays within the fifty metrics that are free", () => {
    const { widgets } = JSON.parse(dashboard);
    const lines: unknown[][] = widgets.flatMap(
      ({ properties }: { properties: { metrics?: unknown[][] } }) => properties.metrics ?? [],
    );
    expect(lines.length).toBeGreaterThan(30);
    // https://aws.amazon.com/cloudwatch/pricing/: three dashboards for up to fifty metrics a month.
    expect(lines.length).toBeLessThanOrEqual(50);
    // An expression may stand for any number of metrics.
    for (const line of lines) expect(line[0]).toMatch(/^(AWS\/\w+|ZombieGame)$/);
    expect(dashboard).not.toMatch(/SEARCH\(|METRICS\(|SELECT /);
  });

  it("shows every alarm, existing resources and metrics, and exactly those that the code and the log count", () => {
    const listed = namesIn(/\$\{(\w+)\.Arn\}/g);
    expect(listed.toSorted()).toEqual(alarms.map(({ name }) => name).toSorted());
    for (const name of namesIn(/\$\{(\w+)[.}]/g)) forGame.resource(name);
    for (const [, namespace = "", name] of dashboard.matchAll(/"(AWS\/\w+)","(\w+)"/g))
      expect(`${namespace} ${name}`).toMatch(oneOf(EXISTING.map(([metric]) => metric)));
    expect(namesIn(/"ZombieGame","(\w+)"/g).toSorted()).toEqual(ownMetrics.toSorted());
    const files = globSync(join(ROOT, "lib/**/*.ts")).filter((file) => !file.endsWith("runtime/metrics.ts"));
    const sources = files.map((file) => readFileSync(file, "utf8")).join("\n");
    for (const name of Object.keys(METRICS)) expect(sources).toMatch(new RegExp(`\\b${name}:`));
  });

  it("finds rejected requests in the stage's log, and metrics by its name", () => {
    // tests/behaviour/observability.test.ts has what the query finds.
    expect(dashboard).toMatch(/SOURCE '\$\{Logs\}' \| filter message/);
    expect(forGame.ofType("AWS::Logs::MetricFilter")).toEqual([]);
    for (const [name, { Properties }] of forGame.functions)
      expect(Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME, name).toBe("zombie-game-spring");
  });
});

it("alarms, metrics and dashboards are those of the cost estimate", () => {
  const isOfMail = (name: string): boolean => name.startsWith("Mail");
  // AWS charges an alarm for each metric that it watches.
  const watchedBy = (isCounted: (name: string) => boolean): number =>
    alarms.filter(({ name }) => isCounted(name)).reduce((sum, { watched }) => sum + watched.length, 0);
  expect(ASSUMED.alarms).toBe(watchedBy((name) => !isOfMail(name)));
  expect(ASSUMED.mailAlarms).toBe(watchedBy(isOfMail));
  expect(ASSUMED.dashboards).toBe(forGame.ofType("AWS::CloudWatch::Dashboard").length);
  // The estimate is for a game without webhooks, and mail is an option of it.
  const metrics = Object.keys(METRICS).filter((name) => !name.startsWith("Webhook") && !isOfMail(name));
  expect(ASSUMED.metrics).toBe(metrics.length);
  expect(ASSUMED.mailMetrics).toBe(Object.keys(METRICS).filter(isOfMail).length);
});
