/** Alarms and the dashboard refer to existing resources and show all metrics of the code. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STATUS } from "../../lib/http/statuses.ts";
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

const logMetrics: Record<string, unknown>[] = forGame
  .ofType("AWS::Logs::MetricFilter")
  .flatMap(([, { Properties }]) => Properties.MetricTransformations);

const ownMetrics = [...Object.keys(METRICS), ...logMetrics.map(({ MetricName }) => MetricName)];

const indexes: string[] = forGame
  .resource("Table")
  .Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);

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
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: "Alarms" }], OKActions: [{ Ref: "Alarms" }] });
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

describe("the dashboard", () => {
  it("shows every alarm, existing resources and metrics, and exactly those that the code and the log count", () => {
    const listed = namesIn(/\$\{(\w+)\.Arn\}/g);
    expect(listed.toSorted()).toEqual(alarms.map(({ name }) => name).toSorted());
    for (const name of namesIn(/\$\{(\w+)[.}]/g)) forGame.resource(name);
    for (const [, namespace = "", name] of dashboard.matchAll(/"(AWS\/\w+)","(\w+)"/g))
      expect(`${namespace} ${name}`).toMatch(oneOf(EXISTING.map(([metric]) => metric)));
    const own = [
      ...namesIn(/"ZombieGame","(\w+)"/g),
      ...namesIn(/SEARCH\('\{ZombieGame,.*?MetricName=\\"(\w+)\\"/g),
    ];
    expect(own.toSorted()).toEqual(ownMetrics.toSorted());
    const files = globSync(join(ROOT, "lib/**/*.ts")).filter((file) => !file.endsWith("runtime/metrics.ts"));
    const sources = files.map((file) => readFileSync(file, "utf8")).join("\n");
    for (const name of Object.keys(METRICS)) expect(sources).toMatch(new RegExp(`\\b${name}:`));
  });

  it("finds rejected requests and metrics by the name of the stage", () => {
    const Dimensions = ["service", "code"].map((Key) => ({ Key, Value: `$.${Key}` }));
    expect(logMetrics).toMatchObject([{ MetricNamespace: NAMESPACE, MetricName: "Refusals", Dimensions }]);
    for (const [name, { Properties }] of forGame.functions)
      expect(Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME, name).toBe("zombie-game-spring");
  });
});

it("alarms, metrics and dashboards are those of the cost estimate", () => {
  // AWS charges an alarm for each metric that it watches.
  expect(ASSUMED.alarms).toBe(alarms.reduce((sum, { watched }) => sum + watched.length, 0));
  expect(ASSUMED.dashboards).toBe(forGame.ofType("AWS::CloudWatch::Dashboard").length);
  // The estimate is for a game without webhooks.
  expect(ASSUMED.metrics).toBe(Object.keys(METRICS).filter((name) => !name.startsWith("Webhook")).length);
  // Each error code is a metric of its own.
  expect(ASSUMED.codes).toBeLessThan(Object.keys(STATUS).length);
});
