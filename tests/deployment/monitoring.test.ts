/** Alarms and the dashboard refer to existing resources and show all metrics of the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import * as z from "zod/mini";
import { STATUS } from "../../lib/http/statuses.ts";
import { METRICS, NAMESPACE } from "../../lib/runtime/metrics.ts";
import { ASSUMED } from "../../scripts/cost/assumptions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { refusalPattern } from "../support/logFilter.ts";
import { readTemplate } from "./template.ts";

const packages = inject("packages");
const forTests = readTemplate(packages.forTests, "test-packages");
const kept = readTemplate(packages.kept, "spring");

/** The name of the resource that a value refers to. @throws Error if there is no such resource */
const resolve = (value: unknown): string => {
  if (typeof value === "string") return value;
  const { Ref, "Fn::GetAtt": attribute } = value as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  const [name = "", what] = attribute ?? [Ref];
  kept.resource(name);
  return what === undefined || what.endsWith("Name") ? name : `${name}.${what}`;
};

/** A metric by namespace and name, and the resources in its dimensions. */
interface Watched {
  metric: string;
  where: Record<string, string>;
}

const Statistic = z.looseObject({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []),
});

const watchedBy = (statistic: unknown): Watched => {
  const { Namespace, MetricName, Dimensions } = Statistic.parse(statistic);
  const where = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, resolve(Value)]));
  return { metric: `${Namespace} ${MetricName}`, where };
};

const alarms = kept.ofType("AWS::CloudWatch::Alarm").map(([name, { Properties }]) => {
  const statistics: { MetricStat?: { Metric: unknown } }[] = Properties.Metrics ?? [
    { MetricStat: { Metric: Properties } },
  ];
  const watched = statistics.flatMap(({ MetricStat }) =>
    MetricStat === undefined ? [] : [watchedBy(MetricStat.Metric)],
  );
  return { name, Properties, watched };
});

const Shown = z.looseObject({
  metrics: z.optional(z.array(z.array(z.unknown()))),
  alarms: z.optional(z.array(z.string())),
});
const Widget = z.object({ properties: Shown, x: z.int(), y: z.int(), width: z.int(), height: z.int() });
const Body = z.object({ widgets: z.array(Widget) });

const { DashboardName, DashboardBody } = kept.resource("Dashboard").Properties;
const dashboard: string = DashboardBody["Fn::Sub"];
const { widgets } = Body.parse(
  JSON.parse(
    dashboard.replaceAll(/\$\{(?!!)([\w:]+)(?:\.(\w+))?\}/g, (_, name: string, attribute?: string) => {
      if (name.startsWith("AWS::")) return name;
      return resolve(attribute === undefined ? { Ref: name } : { "Fn::GetAtt": [name, attribute] });
    }),
  ),
);

const SEARCH = /^SEARCH\('\{(\w+),[\w,]+\} MetricName="(\w+)" service="([\w-]+)"', 'Sum', \d+\)$/;

const shown = widgets
  .flatMap(({ properties }) => properties.metrics ?? [])
  .map((metric): Watched => {
    const [namespace, name, ...rest] = metric.filter((part) => typeof part === "string");
    if (namespace !== undefined) {
      const pairs = rest.flatMap((part, at) => (at % 2 === 0 ? [[part, rest[at + 1]]] : []));
      return { metric: `${namespace} ${name}`, where: Object.fromEntries(pairs) };
    }
    const { expression } = z.object({ expression: z.string() }).parse(metric[0]);
    const [, searched, by, service = ""] = SEARCH.exec(expression) ?? [];
    return { metric: `${searched} ${by}`, where: { service } };
  });

/** Metrics of AWS by namespace: their dimension, the type of its resource, and their names. */
const AWS_METRICS: Record<string, [dimension: string, type: string, names: string]> = {
  "AWS/ApiGateway": ["ApiId", "AWS::ApiGatewayV2::Api", "Count 4xx 5xx Latency"],
  "AWS/Lambda": [
    ...(["FunctionName", "AWS::Lambda::Function"] as const),
    "Invocations Errors Throttles IteratorAge ConcurrentExecutions",
  ],
  "AWS/SQS": [
    ...(["QueueName", "AWS::SQS::Queue"] as const),
    "ApproximateNumberOfMessagesVisible ApproximateAgeOfOldestMessage",
  ],
  "AWS/DynamoDB": [
    ...(["TableName", "AWS::DynamoDB::Table"] as const),
    "ReadThrottleEvents WriteThrottleEvents ConsumedReadCapacityUnits ConsumedWriteCapacityUnits",
  ],
};

/** These metrics also exist for the whole account, without a dimension. */
const ACCOUNT_METRICS = ["AWS/Lambda Throttles", "AWS/Lambda ConcurrentExecutions"];

const logMetrics: Record<string, unknown>[] = kept
  .ofType("AWS::Logs::MetricFilter")
  .flatMap(([, { Properties }]) => Properties.MetricTransformations);

const indexes = kept
  .resource("Table")
  .Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);

const expectExists = ({ metric, where }: Watched): void => {
  const [namespace = "", name] = metric.split(" ");
  if (namespace === NAMESPACE) {
    expect(where, metric).toEqual({ service: "zombie-game-spring" });
    return;
  }
  const [dimension = "", type, names = ""] = AWS_METRICS[namespace] ?? [];
  expect(names.split(" "), metric).toContain(name);
  if (ACCOUNT_METRICS.includes(metric) && Object.keys(where).length === 0) return;
  const { [dimension]: resource = "", GlobalSecondaryIndexName: index, ...more } = where;
  expect(more, metric).toEqual({});
  expect(kept.resource(resource).Type, metric).toBe(type);
  if (index !== undefined) expect(indexes, metric).toContain(index);
};

describe("the alarms", () => {
  it("have these metrics, periods and thresholds", () => {
    const described = alarms.map(({ name, Properties, watched }) => {
      const last = Properties.Metrics?.at(-1).MetricStat;
      const period = Properties.Period ?? last.Period;
      const stat = Properties.Statistic ?? Properties.ExtendedStatistic ?? last.Stat;
      const [{ metric = "", where = {} } = {}] = watched;
      return `${name}: ${stat} of ${metric} of ${Object.values(where)}, ${Properties.EvaluationPeriods} times ${period} s: ${Properties.Threshold}`;
    });
    expect(described).toEqual([
      "ApiFaults: Sum of AWS/ApiGateway 5xx of HttpApi, 1 times 300 s: 5",
      "ApiSlow: p99 of AWS/ApiGateway Latency of HttpApi, 3 times 300 s: 3000",
      "SweepSilent: Sum of AWS/Lambda Invocations of SweepLambdaFunction, 5 times 60 s: 1",
      "SweepHeld: Sum of ZombieGame SweepHeld of zombie-game-spring, 1 times 300 s: 1",
      "SweepErrors: Sum of AWS/Lambda Errors of SweepLambdaFunction, 1 times 300 s: 3",
      "DeliverErrors: Sum of AWS/Lambda Errors of DeliverLambdaFunction, 1 times 300 s: 3",
      "AnnounceErrors: Sum of AWS/Lambda Errors of AnnounceLambdaFunction, 1 times 300 s: 3",
      "DeadLettersThere: Maximum of AWS/SQS ApproximateNumberOfMessagesVisible of DeadLetters, 1 times 300 s: 1",
      "RecordsPassedOver: Maximum of AWS/SQS ApproximateNumberOfMessagesVisible of PassedOver, 1 times 300 s: 1",
      "SweepsMissed: Maximum of AWS/SQS ApproximateNumberOfMessagesVisible of MissedSweeps, 1 times 300 s: 1",
      "QueueOld: Maximum of AWS/SQS ApproximateAgeOfOldestMessage of Queue, 1 times 300 s: 1800",
      "StreamOld: Maximum of AWS/Lambda IteratorAge of AnnounceLambdaFunction, 1 times 300 s: 300000",
      "TableThrottled: Sum of AWS/DynamoDB ReadThrottleEvents of Table, 1 times 300 s: 50",
    ]);
  });

  it.each(alarms)(
    "$name watches existing resources and notifies ALARM_EMAIL",
    ({ name, Properties, watched }) => {
      // A missing sweep has no data, so only its alarm is raised below the threshold.
      const isSilence = name === "SweepSilent";
      expect(Properties.ComparisonOperator).toMatch(isSilence ? /^LessThan/ : /^GreaterThan/);
      expect(Properties.TreatMissingData).toBe(isSilence ? "breaching" : "notBreaching");
      for (const one of watched) expectExists(one);
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
      expect(watched.length).toBeGreaterThan(0);
      expect(watched.length).toBeLessThanOrEqual(10);
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: "Alarms" }], OKActions: [{ Ref: "Alarms" }] });
      expect(Properties.AlarmName).toMatch(/^zombie-game-spring /);
      expect(Properties.AlarmDescription.length).toBeGreaterThan(20);
    },
  );

  it("watch throttling of the table and of each index", () => {
    const throttled = alarms.find(({ name }) => name === "TableThrottled")?.watched ?? [];
    for (const name of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
      const places = throttled.filter(({ metric }) => metric === `AWS/DynamoDB ${name}`);
      expect(places.map(({ where }) => where.GlobalSecondaryIndexName)).toEqual([undefined, ...indexes]);
    }
  });

  it("are sent to ALARM_EMAIL only if it is set", () => {
    expect(kept.resource("AlarmEmail")).toMatchObject({
      ...{ Type: "AWS::SNS::Subscription", Condition: "HasAlarmEmail" },
      Properties: { TopicArn: { Ref: "Alarms" }, Protocol: "email", Endpoint: "gm@hvz.example" },
    });
    const isSet = (address: string) => ({ "Fn::Not": [{ "Fn::Equals": [address, ""] }] });
    expect(kept.conditions.HasAlarmEmail).toEqual(isSet("gm@hvz.example"));
    expect(forTests.conditions.HasAlarmEmail).toEqual(isSet(""));
  });
});

describe("the dashboard", () => {
  it("shows every alarm, and its widgets do not overlap", () => {
    expect(DashboardName).toBe("zombie-game-spring");
    const listed = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect(listed.toSorted()).toEqual(alarms.map(({ name }) => `${name}.Arn`).toSorted());
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, n) => `${x + (n % width)} ${y + Math.floor(n / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
  });

  it("shows existing resources", () => {
    expect(shown.length).toBeGreaterThan(20);
    for (const one of shown) expectExists(one);
  });

  it("shows exactly the metrics that the code and the log filters count", () => {
    const own = shown.flatMap(({ metric }) => {
      const [namespace, name = ""] = metric.split(" ");
      return namespace === NAMESPACE ? [name] : [];
    });
    const names = [...Object.keys(METRICS), ...logMetrics.map(({ MetricName }) => MetricName)];
    expect(own.toSorted()).toEqual(names.toSorted());
    const sources = readdirSync(join(ROOT, "lib"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && file !== "runtime/metrics.ts")
      .map((file) => readFileSync(join(ROOT, "lib", file), "utf8"))
      .join("\n");
    for (const name of Object.keys(METRICS)) expect(sources).toMatch(new RegExp(`\\b${name}:`));
  });

  it("finds rejected requests and metrics by the name of the stage", () => {
    const Dimensions = ["service", "code"].map((Key) => ({ Key, Value: `$.${Key}` }));
    expect(logMetrics).toMatchObject([{ MetricNamespace: NAMESPACE, MetricName: "Refusals", Dimensions }]);
    expect(kept.resource("RefusalsByCode").Properties).toMatchObject({
      LogGroupName: { Ref: "Logs" },
      FilterPattern: refusalPattern(),
    });
    for (const [name, { Properties }] of kept.functions) {
      const { POWERTOOLS_SERVICE_NAME, POWERTOOLS_METRICS_NAMESPACE } = Properties.Environment.Variables;
      expect(POWERTOOLS_SERVICE_NAME, name).toBe("zombie-game-spring");
      expect(POWERTOOLS_METRICS_NAMESPACE, name).toBeUndefined();
    }
  });
});

it("alarms, metrics and dashboards are those of the cost estimate", () => {
  // AWS charges an alarm for each metric that it watches.
  expect(ASSUMED.alarms).toBe(alarms.reduce((sum, { watched }) => sum + watched.length, 0));
  expect(ASSUMED.dashboards).toBe(kept.ofType("AWS::CloudWatch::Dashboard").length);
  // The estimate is for a game without webhooks.
  expect(ASSUMED.metrics).toBe(Object.keys(METRICS).filter((name) => !name.startsWith("Webhook")).length);
  // Each error code is a metric of its own.
  expect(ASSUMED.codes).toBeLessThan(Object.keys(STATUS).length);
});
