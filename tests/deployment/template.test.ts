/** What would be deployed keeps the game, loses no message, tells nobody who was here, and costs what was reckoned. */
import { describe, expect, inject, it } from "vitest";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { dependenciesOf, maxConcurrent } from "./dependencies.ts";
import { readTemplate } from "./template.ts";

const packages = inject("packages");
const forTests = readTemplate(packages.forTests, "test-packages");
const kept = readTemplate(packages.kept, "spring");

const arnOf = (name: string, attribute = "Arn") => ({ "Fn::GetAtt": [name, attribute] });
const RULE_ARN = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
  "Fn::Sub": "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:rule/zombie-game-spring-sweep",
};

/** The condition of what is there only where a setting is given. */
const isGiven = (value: string) => ({ "Fn::Not": [{ "Fn::Equals": [value, ""] }] });

describe("the table", () => {
  it("is paid on demand, encrypted with a key that AWS owns, backed up at every instant, and forgets what has expired", () => {
    for (const { resource } of [forTests, kept]) {
      expect(resource("Table").Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        // Encrypted at rest all the same; `true` would be a KMS key of the account, whose every use is charged.
        SSESpecification: { SSEEnabled: false },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: "expires", Enabled: true },
        StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      });
    }
  });

  it("outlives its stack, and is not deleted by accident", () => {
    const table = kept.resource("Table");
    expect(table).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    expect(table.Properties).toMatchObject({
      TableName: "zombie-game-spring",
      DeletionProtectionEnabled: true,
    });
  });

  it("goes with its stack where it was for tests", () => {
    const table = forTests.resource("Table");
    expect(table).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
    expect(table.Properties).toMatchObject({ DeletionProtectionEnabled: false });
  });
});

describe("what fails", () => {
  it("has a queue of its own for each way to fail: encrypted, and kept for two weeks", () => {
    const queues = kept.ofType("AWS::SQS::Queue");
    expect(queues.map(([name]) => name).toSorted()).toEqual([
      "DeadLetters",
      "MissedSweeps",
      "PassedOver",
      "Queue",
    ]);
    for (const [name, { Properties }] of queues) {
      expect(Properties.SqsManagedSseEnabled, name).toBe(true);
      if (name !== "Queue") expect(Properties.MessageRetentionPeriod, name).toBe(14 * 24 * 60 * 60);
    }
  });

  it("of the queue is laid aside after five receives, six times as long as the worker may take apart", () => {
    const { Properties } = kept.resource("Queue");
    expect(Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: arnOf("DeadLetters"),
      maxReceiveCount: 5,
    });
    expect(Properties.VisibilityTimeout).toBe(6 * kept.functions.get("deliver")?.Properties.Timeout);
  });

  it("of the stream is told where nothing else is", () => {
    const { Properties } = kept.resource("AnnounceEventSourceMappingDynamodbTable");
    expect(Properties).toMatchObject({
      EventSourceArn: arnOf("Table", "StreamArn"),
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 82_800,
      DestinationConfig: { OnFailure: { Destination: arnOf("PassedOver") } },
    });
  });

  it("of the sweep is told, whether the schedule or the function failed", () => {
    const rule = kept.resource("SweepEventsRuleSchedule1").Properties;
    expect(rule).toMatchObject({
      Name: "zombie-game-spring-sweep",
      ScheduleExpression: "rate(1 minute)",
      State: "ENABLED",
    });
    expect(rule.Targets).toEqual([
      {
        Arn: arnOf("SweepLambdaFunction"),
        Id: "sweep",
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 1 },
        DeadLetterConfig: { Arn: arnOf("MissedSweeps") },
      },
    ]);
    const [invoked, ...more] = kept.ofType("AWS::Lambda::EventInvokeConfig");
    expect(more).toEqual([]);
    expect(invoked?.[1].Properties).toMatchObject({
      FunctionName: { Ref: "SweepLambdaFunction" },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: arnOf("MissedSweeps") } },
    });
    const [statement] = kept.resource("MissedSweepsPolicy").Properties.PolicyDocument.Statement;
    expect(statement).toEqual({
      Effect: "Allow",
      Principal: { Service: "events.amazonaws.com" },
      Action: "sqs:SendMessage",
      Resource: arnOf("MissedSweeps"),
      Condition: { ArnEquals: { "aws:SourceArn": RULE_ARN } },
    });
  });

  it("of the sweep begins when the rule may invoke it: its first minute finds its permission", () => {
    const permission = kept.resource("SweepLambdaPermissionEventsRuleSchedule1");
    expect(permission.Properties).toMatchObject({
      FunctionName: arnOf("SweepLambdaFunction"),
      Principal: "events.amazonaws.com",
      SourceArn: RULE_ARN,
    });
    const before = dependenciesOf(kept).get("SweepEventsRuleSchedule1");
    for (const name of ["SweepLambdaPermissionEventsRuleSchedule1", "MissedSweepsPolicy", "MissedSweeps"]) {
      expect(before, name).toContain(name);
    }
    // Nor is anybody told that no sweep has run, as long as none could.
    expect(dependenciesOf(kept).get("SweepSilent")).toContain("SweepEventsRuleSchedule1");
  });
});

describe("the API", () => {
  it("has a route for each endpoint", () => {
    const routes = kept.ofType("AWS::ApiGatewayV2::Route").map(([, { Properties }]) => Properties.RouteKey);
    const listed = listedFunctions().flatMap(({ route }) => (route === undefined ? [] : [route]));
    expect(routes.toSorted()).toEqual(listed.toSorted());
  });

  it("may be called from the pages that ALLOWED_ORIGINS names, from all when it names none", () => {
    const origins = ({ resource }: typeof kept) =>
      resource("HttpApi").Properties.CorsConfiguration.AllowOrigins;
    expect(origins(kept)).toEqual(["https://hvz.example"]);
    expect(origins(forTests)).toEqual(["*"]);
  });

  it("has browsers keep what a preflight answered for two hours", () => {
    expect(kept.resource("HttpApi").Properties.CorsConfiguration.MaxAge).toBe(7_200);
  });

  it.each([
    ["a club's 100 requests a second where nothing is set", forTests, 100, 200],
    ["what REQUESTS_PER_SECOND and REQUESTS_BURST say", kept, 300, 600],
  ])("lets through %s", (_, { resource }, ThrottlingRateLimit, ThrottlingBurstLimit) => {
    expect(resource("HttpApiStage").Properties.DefaultRouteSettings).toEqual({
      ...{ DetailedMetricsEnabled: false, ThrottlingRateLimit, ThrottlingBurstLimit },
    });
  });

  it("answers under DOMAIN with its certificate, and says what DNS must point to", () => {
    expect(kept.resource("Domain")).toMatchObject({
      Type: "AWS::ApiGatewayV2::DomainName",
      Condition: "HasDomain",
      Properties: {
        DomainName: "api.hvz.example",
        DomainNameConfigurations: [
          {
            CertificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/1-2",
            EndpointType: "REGIONAL",
            SecurityPolicy: "TLS_1_2",
          },
        ],
      },
    });
    expect(kept.resource("DomainMapping")).toMatchObject({
      Type: "AWS::ApiGatewayV2::ApiMapping",
      Condition: "HasDomain",
      Properties: {
        ApiId: { Ref: "HttpApi" },
        DomainName: { Ref: "Domain" },
        Stage: { Ref: "HttpApiStage" },
      },
    });
    expect(kept.outputs).toMatchObject({
      DomainTarget: { Condition: "HasDomain", Value: arnOf("Domain", "RegionalDomainName") },
      DomainHostedZone: { Condition: "HasDomain", Value: arnOf("Domain", "RegionalHostedZoneId") },
    });
    expect(kept.conditions.HasDomain).toEqual(isGiven("api.hvz.example"));
    expect(forTests.conditions.HasDomain).toEqual(isGiven(""));
  });

  it("logs each access, and nobody's address, token, path or name", () => {
    const { DestinationArn, Format } = kept.resource("HttpApiStage").Properties.AccessLogSettings;
    expect(DestinationArn).toEqual(arnOf("HttpApiLogGroup"));
    expect(Object.values(JSON.parse(Format)).toSorted()).toEqual([
      "$context.integration.integrationStatus",
      "$context.integration.requestId",
      "$context.integrationLatency",
      "$context.requestId",
      "$context.requestTime",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.routeKey",
      "$context.status",
    ]);
  });
});

describe("the logs", () => {
  it("are one of all functions and one of the API, and go after thirty days", () => {
    const groups = kept.ofType("AWS::Logs::LogGroup");
    const names = groups.map(([, { Properties }]) => Properties.LogGroupName);
    const [ofApi, ofFunctions] = ["/aws/http-api/zombie-game-spring", "/aws/lambda/zombie-game-spring"];
    expect(names.toSorted()).toEqual([ofApi, ofFunctions]);
    for (const [name, { Properties }] of groups) expect(Properties.RetentionInDays, name).toBe(30);
    for (const [name, { Properties }] of kept.functions) {
      expect(Properties.LoggingConfig, name).toEqual({ LogGroup: ofFunctions });
    }
  });
});

describe("the functions", () => {
  it("run on Node.js 24 on arm64, with stacks that name the sources, and keep no concurrency for themselves", () => {
    for (const [name, { Properties }] of kept.functions) {
      expect(Properties, name).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
      expect(Properties.Environment.Variables.NODE_OPTIONS, name).toBe("--enable-source-maps");
      expect(Properties, name).not.toHaveProperty("ReservedConcurrentExecutions");
    }
  });

  it("have the memory and the time that docs/decisions/0023-roles.md reckons with", () => {
    const memory = { new: 1769, login: 1769, change_password: 1769, deliver: 1769, set_pfp: 2048 };
    const timeout = {
      ...{ feed: 29, kill_all_not_at_checkpoint: 29, inject_sql: 29, set_pfp: 29 },
      ...{ announce: 30, sweep: 55, deliver: 60 },
    };
    const expected = listedFunctions().map(({ name }) => [
      name,
      { MemorySize: 512, ...of(memory, name, "MemorySize") },
      { Timeout: 20, ...of(timeout, name, "Timeout") },
    ]);
    const deployed = [...kept.functions].map(
      ([
        name,
        {
          Properties: { MemorySize, Timeout },
        },
      ]) => [name, { MemorySize }, { Timeout }],
    );
    expect(deployed).toEqual(expected);
  });

  it("answer before the gateway gives up", () => {
    for (const { name, route } of listedFunctions()) {
      if (route !== undefined) expect(kept.functions.get(name)?.Properties.Timeout, name).toBeLessThan(30);
    }
  });

  it("deliver five at once where the account bears it, in a loop that Lambda does not cut", () => {
    expect(kept.resource("DeliverEventSourceMappingSQSQueue").Properties).toMatchObject({
      EventSourceArn: arnOf("Queue"),
      BatchSize: 4,
      ScalingConfig: { MaximumConcurrency: 5 },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    expect(kept.functions.get("deliver")?.Properties.RecursiveLoop).toBe("Allow");
  });
});

describe("the order of creation", () => {
  const waits = dependenciesOf(kept);
  const ofService = (start: string): string[] =>
    Object.keys(kept.resources).filter((name) => kept.resource(name).Type.startsWith(start));

  it.each([
    ["AWS::ApiGatewayV2::", 94, 5],
    ["AWS::Lambda::", 99, 8],
  ])("has at most a few resources of %s in work at once", (start, count, most) => {
    const names = ofService(start);
    expect(names.length).toBeGreaterThanOrEqual(count);
    expect(maxConcurrent(names, waits)).toBe(most);
  });

  it("is the same whenever the same template is packaged", () => {
    const order = ({ resources }: typeof kept) =>
      Object.entries(resources).map(([name, { DependsOn }]) => [name, DependsOn]);
    expect(order(forTests)).toEqual(order(kept));
  });

  it("has nothing wait for a resource that may be left out", () => {
    for (const [name, { Condition }] of Object.entries(kept.resources)) {
      if (Condition !== undefined) continue;
      for (const other of waits.get(name) ?? []) {
        expect(kept.resource(other).Condition, `${name} waits for ${other}`).toBeUndefined();
      }
    }
  });

  it("makes no versions of functions, which nothing refers to", () => {
    expect(kept.ofType("AWS::Lambda::Version")).toEqual([]);
  });
});

describe("the budget", () => {
  it("has AWS write to ALARM_EMAIL when a month costs more than BUDGET_USD, or will", () => {
    const { Type, Condition, Properties } = kept.resource("Budget");
    expect({ Type, Condition }).toEqual({ Type: "AWS::Budgets::Budget", Condition: "HasBudget" });
    expect(Properties.Budget).toMatchObject({
      ...{ BudgetType: "COST", TimeUnit: "MONTHLY", BudgetLimit: { Amount: "20", Unit: "USD" } },
      CostTypes: { IncludeCredit: false },
    });
    // CloudFormation replaces a budget whose address changes, and replaces none that has a name.
    expect(Properties.Budget).not.toHaveProperty("BudgetName");
    const notifications = Properties.NotificationsWithSubscribers;
    expect(notifications.map(({ Notification }: { Notification: object }) => Notification)).toEqual(
      ["ACTUAL", "FORECASTED"].map((NotificationType) => ({
        ...{ NotificationType, ComparisonOperator: "GREATER_THAN" },
        ...{ Threshold: 100, ThresholdType: "PERCENTAGE" },
      })),
    );
    for (const { Subscribers } of notifications) {
      expect(Subscribers).toEqual([{ SubscriptionType: "EMAIL", Address: "gm@hvz.example" }]);
    }
    expect(kept.conditions.HasBudget).toEqual(isGiven("20"));
    expect(forTests.conditions.HasBudget).toEqual(isGiven(""));
  });
});

it("CloudFormation takes it: under five hundred resources and a megabyte, one function's table for all", () => {
  for (const { text } of [forTests, kept]) {
    expect(Object.keys(JSON.parse(text).Resources).length).toBeLessThan(500);
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  }
  for (const { Properties } of kept.functions.values()) {
    expect(Properties.Environment.Variables.TABLE_NAME).toBe("zombie-game-spring");
  }
});

function of<T>(values: Record<string, T>, name: string, property: string): Record<string, T> {
  const value = values[name];
  return value === undefined ? {} : { [property]: value };
}
