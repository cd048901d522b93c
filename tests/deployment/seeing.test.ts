/** Alarms and the dashboard look at what is there, and at all that the code counts. */
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

/** What CloudFormation puts in for a reference, in the words of this test. @throws where nothing is referred to */
const resolved = (value: unknown): string => {
  if (typeof value === "string") return value;
  const { Ref, "Fn::GetAtt": attribute } = value as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  const [name = "", what] = attribute ?? [Ref];
  kept.resource(name);
  return what === undefined || what.endsWith("Name") ? name : `${name}.${what}`;
};

/** A metric by its namespace, its name and where: the resource that each dimension names. */
interface Watched {
  metric: string;
  where: Record<string, string>;
}

interface Statistic {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: unknown }[];
}

const watchedBy = ({ Namespace, MetricName, Dimensions = [] }: Statistic): Watched => ({
  metric: `${Namespace} ${MetricName}`,
  where: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, resolved(Value)])),
});

const alarms = kept.ofType("AWS::CloudWatch::Alarm").map(([name, { Properties }]) => {
  const of: Watched[] =
    Properties.Metrics === undefined
      ? [watchedBy(Properties as unknown as Statistic)]
      : Properties.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: Statistic } }) =>
          MetricStat === undefined ? [] : [watchedBy(MetricStat.Metric)],
        );
  return { name, Properties, of };
});

const Body = z.object({
  widgets: z.array(
    z.object({
      type: z.string(),
      properties: z.looseObject({
        metrics: z.optional(z.array(z.array(z.unknown()))),
        alarms: z.optional(z.array(z.string())),
      }),
      x: z.int(),
      y: z.int(),
      width: z.int(),
      height: z.int(),
    }),
  ),
});

const { DashboardName, DashboardBody } = kept.resource("Dashboard").Properties;
const text: string = DashboardBody["Fn::Sub"];
const { widgets } = Body.parse(
  JSON.parse(
    text.replaceAll(/\$\{(?!!)([\w:]+)(?:\.(\w+))?\}/g, (_, name: string, attribute?: string) => {
      if (name.startsWith("AWS::")) return name;
      return resolved(attribute === undefined ? { Ref: name } : { "Fn::GetAtt": [name, attribute] });
    }),
  ),
);

const SEARCHED = /^SEARCH\('\{(\w+),[\w,]+\} MetricName="(\w+)" service="([\w-]+)"', 'Sum', \d+\)$/;

const shown = widgets
  .flatMap(({ properties }) => properties.metrics ?? [])
  .map((metric): Watched => {
    const [namespace, name, ...rest] = metric.filter((part) => typeof part === "string");
    if (namespace !== undefined) {
      const pairs = rest.flatMap((part, at) => (at % 2 === 0 ? [[part, rest[at + 1]]] : []));
      return { metric: `${namespace} ${name}`, where: Object.fromEntries(pairs) };
    }
    const { expression } = z.object({ expression: z.string() }).parse(metric[0]);
    const [, of, searched, service = ""] = SEARCHED.exec(expression) ?? [];
    return { metric: `${of} ${searched}`, where: { service } };
  });

/** What AWS counts, by which dimension, and of what kind that is. */
const OF_AWS: Record<string, { dimension: string; type: string; names: string[] }> = {
  "AWS/ApiGateway": {
    ...{ dimension: "ApiId", type: "AWS::ApiGatewayV2::Api" },
    names: ["Count", "4xx", "5xx", "Latency"],
  },
  "AWS/Lambda": {
    ...{ dimension: "FunctionName", type: "AWS::Lambda::Function" },
    names: ["Invocations", "Errors", "Throttles", "IteratorAge", "ConcurrentExecutions"],
  },
  "AWS/SQS": {
    ...{ dimension: "QueueName", type: "AWS::SQS::Queue" },
    names: ["ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"],
  },
  "AWS/DynamoDB": {
    ...{ dimension: "TableName", type: "AWS::DynamoDB::Table" },
    names: [
      "ReadThrottleEvents",
      "WriteThrottleEvents",
      "ConsumedReadCapacityUnits",
      "ConsumedWriteCapacityUnits",
    ],
  },
};

/** What is counted by lines of the log. */
const filtered: Record<string, unknown>[] = kept
  .ofType("AWS::Logs::MetricFilter")
  .flatMap(([, { Properties }]) => Properties.MetricTransformations);

/** Of these AWS tells one figure for the whole account, too. */
const OF_THE_ACCOUNT = ["AWS/Lambda Throttles", "AWS/Lambda ConcurrentExecutions"];

const indexes = kept
  .resource("Table")
  .Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName);

const requireThere = ({ metric, where }: Watched): void => {
  const [namespace = "", name] = metric.split(" ");
  if (namespace === NAMESPACE) {
    expect(where, metric).toEqual({ service: "zombie-game-spring" });
    return;
  }
  const known = OF_AWS[namespace];
  expect(known?.names, metric).toContain(name);
  if (OF_THE_ACCOUNT.includes(metric) && Object.keys(where).length === 0) return;
  const { [known?.dimension ?? ""]: resource = "", GlobalSecondaryIndexName: index, ...more } = where;
  expect(more, metric).toEqual({});
  expect(kept.resource(resource).Type, metric).toBe(known?.type);
  if (index !== undefined) expect(indexes, metric).toContain(index);
};

describe("an alarm", () => {
  it("is raised for faults, slowness, silence, what was laid aside, what waits, and what is refused", () => {
    const told = alarms.map(({ name, Properties, of }) => {
      const { Statistic, ExtendedStatistic, Period, EvaluationPeriods, Threshold } = Properties;
      const period = Period ?? Properties.Metrics.at(-1).MetricStat.Period;
      const stat = Statistic ?? ExtendedStatistic ?? Properties.Metrics.at(-1).MetricStat.Stat;
      const [{ metric = "", where = {} } = {}] = of;
      return `${name}: ${stat} of ${metric} of ${Object.values(where)}, ${EvaluationPeriods} times ${period} s: ${Threshold}`;
    });
    expect(told).toEqual([
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

  it("is raised when its figure is too high, and the sweep's when there is none", () => {
    for (const { name, Properties } of alarms) {
      const { ComparisonOperator, TreatMissingData } = Properties;
      const isSilence = name === "SweepSilent";
      expect(ComparisonOperator, name).toMatch(isSilence ? /^LessThan/ : /^GreaterThan/);
      expect(TreatMissingData, name).toBe(isSilence ? "breaching" : "notBreaching");
    }
  });

  it("looks at what the template has", () => {
    for (const { of } of alarms) {
      expect(of.length).toBeGreaterThan(0);
      for (const one of of) requireThere(one);
    }
    const throttled = alarms.find(({ name }) => name === "TableThrottled")?.of ?? [];
    for (const name of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
      const places = throttled.filter(({ metric }) => metric === `AWS/DynamoDB ${name}`);
      expect(
        places.map(({ where }) => where.GlobalSecondaryIndexName),
        name,
      ).toEqual([undefined, ...indexes]);
    }
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
    for (const { name, of } of alarms) expect(of.length, name).toBeLessThanOrEqual(10);
  });

  it("is heard of by whoever ALARM_EMAIL names, and by nobody where it names none", () => {
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: "Alarms" }], OKActions: [{ Ref: "Alarms" }] });
      expect(Properties.AlarmName).toMatch(/^zombie-game-spring /);
      expect(Properties.AlarmDescription.length).toBeGreaterThan(20);
    }
    expect(kept.resource("AlarmEmail")).toMatchObject({
      Type: "AWS::SNS::Subscription",
      Condition: "HasAlarmEmail",
      Properties: { TopicArn: { Ref: "Alarms" }, Protocol: "email", Endpoint: "gm@hvz.example" },
    });
    const condition = (address: string) => ({ "Fn::Not": [{ "Fn::Equals": [address, ""] }] });
    expect(kept.conditions.HasAlarmEmail).toEqual(condition("gm@hvz.example"));
    expect(forTests.conditions.HasAlarmEmail).toEqual(condition(""));
  });
});

describe("the dashboard", () => {
  it("is the stage's, shows every alarm, and nothing upon another", () => {
    expect(DashboardName).toBe("zombie-game-spring");
    const listed = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect(listed.toSorted()).toEqual(alarms.map(({ name }) => `${name}.Arn`).toSorted());
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, n) => `${x + (n % width)} ${y + Math.floor(n / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
  });

  it("shows what the template has", () => {
    expect(shown.length).toBeGreaterThan(20);
    for (const one of shown) requireThere(one);
  });

  it("shows all that the code counts, and nothing else of ours", () => {
    const own = shown.flatMap(({ metric }) => {
      const [namespace, name = ""] = metric.split(" ");
      return namespace === NAMESPACE ? [name] : [];
    });
    const names = [...Object.keys(METRICS), ...filtered.map(({ MetricName }) => MetricName)];
    expect(own.toSorted()).toEqual(names.toSorted());
    const sources = readdirSync(join(ROOT, "lib/http")).map((file) =>
      readFileSync(join(ROOT, "lib/http", file), "utf8"),
    );
    for (const name of Object.keys(METRICS)) {
      expect(
        sources.some((source) => new RegExp(`\\b${name}:`).test(source)),
        name,
      ).toBe(true);
    }
  });

  it("finds refusals by the name of the stage and their codes, which their lines have", () => {
    const Dimensions = ["service", "code"].map((Key) => ({ Key, Value: `$.${Key}` }));
    expect(filtered).toMatchObject([{ MetricNamespace: NAMESPACE, MetricName: "Refusals", Dimensions }]);
    expect(kept.resource("RefusalsByCode").Properties).toMatchObject({
      LogGroupName: { Ref: "Logs" },
      FilterPattern: refusalPattern(),
    });
  });

  it("finds what functions count under the name that they are given", () => {
    for (const [name, { Properties }] of kept.functions) {
      const { POWERTOOLS_SERVICE_NAME, POWERTOOLS_METRICS_NAMESPACE } = Properties.Environment.Variables;
      expect(POWERTOOLS_SERVICE_NAME, name).toBe("zombie-game-spring");
      expect(POWERTOOLS_METRICS_NAMESPACE, name).toBeUndefined();
    }
  });
});

it("costs what the bill reckons with: AWS counts an alarm for each metric that it looks at", () => {
  const looks = alarms.reduce((all, { of }) => all + of.length, 0);
  expect(ASSUMED.alarms).toBe(looks);
  expect(ASSUMED.dashboards).toBe(kept.ofType("AWS::CloudWatch::Dashboard").length);
  // Each code of a refusal is a metric of its own.
  expect(ASSUMED.metrics).toBe(Object.keys(METRICS).length);
  expect(ASSUMED.codes).toBeLessThan(Object.keys(STATUS).length);
});
