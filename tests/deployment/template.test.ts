/** The compiled template: the game is kept, no message is lost, logs contain no personal data, and costs are as planned. */
import { describe, expect, inject, it } from "vitest";
import { compilePattern } from "../../scripts/local/patterns.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { insertRecord } from "../support/streamRecords.ts";
import { dependenciesOf, maxConcurrent } from "./dependencies.ts";
import { type Resource, readTemplate } from "./template.ts";

const packages = inject("packages");
const forTests = readTemplate(packages.forTests, "test-packages");
const kept = readTemplate(packages.kept, "spring");

const arnOf = (name: string, attribute = "Arn") => ({ "Fn::GetAtt": [name, attribute] });
const RULE_ARN = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
  "Fn::Sub": "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:rule/zombie-game-spring-sweep",
};

/** The condition that a setting is not empty. */
const isSet = (value: string) => ({ "Fn::Not": [{ "Fn::Equals": [value, ""] }] });

describe("the table", () => {
  it("is billed on demand, encrypted with AWS's own key, and has recovery, expiry and a stream", () => {
    for (const { resource } of [forTests, kept]) {
      expect(resource("Table").Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        // It is encrypted anyway; `true` would be a KMS key, whose requests are charged.
        SSESpecification: { SSEEnabled: false },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: "expires", Enabled: true },
        StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      });
    }
  });

  it.each([
    ["is retained and protected in a stage with a real game", kept, "zombie-game-spring", "Retain"],
    ["is deleted with a test stage", forTests, "zombie-game-test-packages", "Delete"],
  ])("%s", (_, { resource }, TableName, policy) => {
    expect(resource("Table")).toMatchObject({
      ...{ DeletionPolicy: policy, UpdateReplacePolicy: policy },
      Properties: { TableName, DeletionProtectionEnabled: policy === "Retain" },
    });
  });
});

describe("failures", () => {
  it("have a queue for each kind, encrypted and kept for two weeks", () => {
    const queues = kept.ofType("AWS::SQS::Queue");
    const names = queues.map(([name]) => name).toSorted();
    expect(names).toEqual(["DeadLetters", "MissedSweeps", "PassedOver", "Queue"]);
    for (const [name, { Properties }] of queues) {
      expect(Properties.SqsManagedSseEnabled, name).toBe(true);
      if (name !== "Queue") expect(Properties.MessageRetentionPeriod, name).toBe(14 * 24 * 60 * 60);
    }
  });

  it("of the queue go to the dead-letter queue after five receives", () => {
    const { Properties } = kept.resource("Queue");
    expect(Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: arnOf("DeadLetters"),
      maxReceiveCount: 5,
    });
    expect(Properties.VisibilityTimeout).toBe(6 * kept.functions.get("deliver")?.Properties.Timeout);
  });

  it("of the stream go to a queue before the records expire", () => {
    expect(kept.resource("AnnounceEventSourceMappingDynamodbTable").Properties).toMatchObject({
      EventSourceArn: arnOf("Table", "StreamArn"),
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 82_800,
      DestinationConfig: { OnFailure: { Destination: arnOf("PassedOver") } },
    });
  });

  it("of the stream are filtered as on this machine, where tests show what passes", () => {
    const { Filters } = kept.resource("AnnounceEventSourceMappingDynamodbTable").Properties.FilterCriteria;
    const patterns: unknown[] = Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    expect(patterns).toEqual(readEventSources().stream?.patterns);
    // AWS allows more only on request.
    expect(patterns.length).toBeLessThanOrEqual(5);
    const isPassed = (record: unknown): boolean =>
      patterns.some((pattern) => compilePattern(pattern)(record));
    const settings = (details: object) =>
      insertRecord({
        pk: "LOGS#0",
        sk: "1",
        at: "2026-11-23T09:00:00Z",
        action: "settings",
        outcome: "done",
        details,
      });
    expect(isPassed(settings({ test_webhooks: true }))).toBe(true);
    expect(isPassed(settings({ name: "Autumn" }))).toBe(false);
  });

  it("of the schedule and of the sweep go to a queue", () => {
    const rule = kept.resource("SweepEventsRuleSchedule1").Properties;
    expect(rule).toMatchObject({
      ...{ Name: "zombie-game-spring-sweep", ScheduleExpression: "rate(1 minute)", State: "ENABLED" },
    });
    expect(rule.Targets).toEqual([
      {
        ...{ Arn: arnOf("SweepLambdaFunction"), Id: "sweep" },
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 1 },
        DeadLetterConfig: { Arn: arnOf("MissedSweeps") },
      },
    ]);
    const [invoked, ...more] = kept.ofType("AWS::Lambda::EventInvokeConfig");
    expect(more).toEqual([]);
    expect(invoked?.[1].Properties).toMatchObject({
      FunctionName: { Ref: "SweepLambdaFunction" },
      ...{ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
      DestinationConfig: { OnFailure: { Destination: arnOf("MissedSweeps") } },
    });
    expect(kept.resource("MissedSweepsPolicy").Properties.PolicyDocument.Statement).toEqual([
      {
        ...{ Effect: "Allow", Principal: { Service: "events.amazonaws.com" } },
        ...{ Action: "sqs:SendMessage", Resource: arnOf("MissedSweeps") },
        Condition: { ArnEquals: { "aws:SourceArn": RULE_ARN } },
      },
    ]);
  });

  it("are not caused by the first minute: the schedule starts after its permissions exist", () => {
    expect(kept.resource("SweepLambdaPermissionEventsRuleSchedule1").Properties).toMatchObject({
      FunctionName: arnOf("SweepLambdaFunction"),
      ...{ Principal: "events.amazonaws.com", SourceArn: RULE_ARN },
    });
    const before = dependenciesOf(kept).get("SweepEventsRuleSchedule1");
    for (const name of ["SweepLambdaPermissionEventsRuleSchedule1", "MissedSweepsPolicy", "MissedSweeps"]) {
      expect(before, name).toContain(name);
    }
    expect(dependenciesOf(kept).get("SweepSilent")).toContain("SweepEventsRuleSchedule1");
  });
});

describe("the API", () => {
  it("has a route for each endpoint", () => {
    const routes = kept.ofType("AWS::ApiGatewayV2::Route").map(([, { Properties }]) => Properties.RouteKey);
    const listed = listedFunctions().flatMap(({ route }) => (route === undefined ? [] : [route]));
    expect(routes.toSorted()).toEqual(listed.toSorted());
  });

  it.each([
    ["the default origins and rate limits", forTests, "*", 100, 200],
    ["those of the settings", kept, "https://hvz.example", 300, 600],
  ])("has %s", (_, { resource }, origin, ThrottlingRateLimit, ThrottlingBurstLimit) => {
    expect(resource("HttpApi").Properties.CorsConfiguration).toMatchObject({
      AllowOrigins: [origin],
      MaxAge: 7_200,
    });
    expect(resource("HttpApiStage").Properties.DefaultRouteSettings).toEqual({
      ...{ DetailedMetricsEnabled: false, ThrottlingRateLimit, ThrottlingBurstLimit },
    });
  });

  it("has the domain and certificate of the settings, and outputs the DNS target", () => {
    const [Condition, DomainName] = ["HasDomain", "api.hvz.example"];
    const CertificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
    const endpoint = { CertificateArn, EndpointType: "REGIONAL", SecurityPolicy: "TLS_1_2" };
    const [ApiId, Domain, Stage] = ["HttpApi", "Domain", "HttpApiStage"].map((Ref) => ({ Ref }));
    expect([kept.resource("Domain"), kept.resource("DomainMapping")]).toMatchObject([
      {
        ...{ Type: "AWS::ApiGatewayV2::DomainName", Condition },
        Properties: { DomainName, DomainNameConfigurations: [endpoint] },
      },
      {
        ...{ Type: "AWS::ApiGatewayV2::ApiMapping", Condition },
        Properties: { ApiId, DomainName: Domain, Stage },
      },
    ]);
    expect(kept.outputs).toMatchObject({
      DomainTarget: { Condition, Value: arnOf("Domain", "RegionalDomainName") },
      DomainHostedZone: { Condition, Value: arnOf("Domain", "RegionalHostedZoneId") },
    });
    expect(kept.conditions.HasDomain).toEqual(isSet(DomainName));
    expect(forTests.conditions.HasDomain).toEqual(isSet(""));
  });

  it("invokes the functions of its stage by one role, which only API Gateway can assume", () => {
    const { AssumeRolePolicyDocument, Policies } = kept.role("HttpApiRole").Properties;
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: "Allow", Principal: { Service: "apigateway.amazonaws.com" }, Action: "sts:AssumeRole" },
    ]);
    const functions = ["lambda", "AWS::Region", "AWS::AccountId"].map((one) =>
      one.includes("::") ? `\${${one}}` : one,
    );
    expect(Policies.map(({ PolicyDocument }: Resource["Properties"]) => PolicyDocument.Statement)).toEqual([
      [
        {
          ...{ Effect: "Allow", Action: ["lambda:InvokeFunction"] },
          Resource: {
            "Fn::Sub": `arn:\${AWS::Partition}:${functions.join(":")}:function:zombie-game-spring-*`,
          },
        },
      ],
    ]);
    for (const [name, { Properties }] of kept.ofType("AWS::ApiGatewayV2::Integration"))
      expect(Properties.CredentialsArn, name).toEqual(arnOf("Roles", "Outputs.HttpApiRole"));
    expect(kept.ofType("AWS::Lambda::Permission").map(([name]) => name)).toEqual([
      "SweepLambdaPermissionEventsRuleSchedule1",
    ]);
  });

  it("logs each request without addresses, tokens, paths and names", () => {
    const { DestinationArn, Format } = kept.resource("HttpApiStage").Properties.AccessLogSettings;
    expect(DestinationArn).toEqual(arnOf("HttpApiLogGroup"));
    const logged = [
      ...["integration.integrationStatus", "integration.requestId", "integrationLatency", "requestId"],
      ...["requestTime", "responseLatency", "responseLength", "routeKey", "status"],
    ];
    const fields = Object.values(JSON.parse(Format)).toSorted();
    expect(fields).toEqual(logged.map((name) => `$context.${name}`));
  });
});

it("there is one log of all functions and one of the API, both kept for thirty days", () => {
  const groups = kept.ofType("AWS::Logs::LogGroup").map(([, { Properties }]) => Properties);
  const [ofApi, ofFunctions] = ["/aws/http-api/zombie-game-spring", "/aws/lambda/zombie-game-spring"];
  expect(groups.map(({ LogGroupName }) => LogGroupName).toSorted()).toEqual([ofApi, ofFunctions]);
  for (const { LogGroupName, RetentionInDays } of groups) expect(RetentionInDays, LogGroupName).toBe(30);
  for (const [name, { Properties }] of kept.functions) {
    expect(Properties.LoggingConfig, name).toEqual({ LogGroup: ofFunctions });
  }
});

describe("the functions", () => {
  /** Memory in MB and timeouts in seconds that differ from the defaults (docs/decisions/0023-roles.md). */
  const MEMORY = new Map(
    Object.entries({
      ...{ new: 1769, login: 1769, change_password: 1769, deliver: 1769, scalar: 1769, set_pfp: 2048 },
    }),
  );
  const TIMEOUT = new Map(
    Object.entries({
      ...{ feed: 29, kill_all_not_at_checkpoint: 29, inject_sql: 29, set_pfp: 29 },
      ...{ change_settings: 29, import_players: 29, awards: 29, draw_originals: 29 },
      ...{ revive_all: 29, feed_group: 29, void_hunts: 29, undo_checkpoint: 29 },
      ...{ announce: 30, sweep: 55, deliver: 60 },
    }),
  );

  it.each(listedFunctions())("$name has its runtime, memory and timeout", ({ name, route }) => {
    const properties = kept.functions.get(name)?.Properties;
    expect(properties).toMatchObject({
      ...{ Runtime: "nodejs24.x", Architectures: ["arm64"] },
      ...{ MemorySize: MEMORY.get(name) ?? 512, Timeout: TIMEOUT.get(name) ?? 20 },
      Environment: { Variables: { NODE_OPTIONS: "--enable-source-maps", TABLE_NAME: "zombie-game-spring" } },
    });
    expect(properties).not.toHaveProperty("ReservedConcurrentExecutions");
    // The gateway gives up after 30 seconds.
    if (route !== undefined) expect(properties?.Timeout).toBeLessThan(30);
  });

  it("deliver five batches concurrently, in a loop that Lambda does not stop", () => {
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
  const dependencies = dependenciesOf(kept);

  it.each([
    ["AWS::ApiGatewayV2::", 94, 5],
    ["AWS::Lambda::", 90, 8],
  ])("limits the resources of %s in progress", (prefix, count, most) => {
    const names = Object.keys(kept.resources).filter((name) => kept.resource(name).Type.startsWith(prefix));
    expect(names.length).toBeGreaterThanOrEqual(count);
    expect(maxConcurrent(names, dependencies)).toBe(most);
  });

  it("is reproducible, and nothing depends on a conditional resource", () => {
    const order = ({ resources }: typeof kept) =>
      Object.entries(resources).map(([name, { DependsOn }]) => [name, DependsOn]);
    expect(order(forTests)).toEqual(order(kept));
    for (const [name, { Condition }] of Object.entries(kept.resources)) {
      if (Condition !== undefined) continue;
      for (const other of dependencies.get(name) ?? []) {
        expect(kept.resource(other).Condition, `${name} depends on ${other}`).toBeUndefined();
      }
    }
  });
});

it("the budget writes to ALARM_EMAIL when a month costs more than BUDGET_USD, or is forecast to", () => {
  const { Type, Condition, Properties } = kept.resource("Budget");
  expect({ Type, Condition }).toEqual({ Type: "AWS::Budgets::Budget", Condition: "HasBudget" });
  expect(Properties.Budget).toMatchObject({
    ...{ BudgetType: "COST", TimeUnit: "MONTHLY", BudgetLimit: { Amount: "20", Unit: "USD" } },
    CostTypes: { IncludeCredit: false },
  });
  // A change of the address replaces the budget, which CloudFormation cannot do with a name.
  expect(Properties.Budget).not.toHaveProperty("BudgetName");
  expect(Properties.NotificationsWithSubscribers).toEqual(
    ["ACTUAL", "FORECASTED"].map((NotificationType) => ({
      Notification: {
        ...{ NotificationType, ComparisonOperator: "GREATER_THAN" },
        ...{ Threshold: 100, ThresholdType: "PERCENTAGE" },
      },
      Subscribers: [{ SubscriptionType: "EMAIL", Address: "gm@hvz.example" }],
    })),
  );
  expect(kept.conditions.HasBudget).toEqual(isSet("20"));
  expect(forTests.conditions.HasBudget).toEqual(isSet(""));
});

it("the templates are within CloudFormation's limits, with room for fifty more endpoints", () => {
  const ofEndpoint = 3;
  for (const { text, nestedText } of [forTests, kept]) {
    expect(Object.keys(JSON.parse(text).Resources).length).toBeLessThan(500 - 50 * ofEndpoint);
    expect(Object.keys(JSON.parse(nestedText).Outputs).length).toBeLessThan(200 - 50);
    for (const each of [text, nestedText]) expect(Buffer.byteLength(each)).toBeLessThan(600_000);
  }
  expect(kept.ofType("AWS::Lambda::Version")).toEqual([]);
});

it("an update keeps what holds data, and the API's address, where they were", () => {
  const kinds = ["Table", "Queue", "DeadLetters", "PassedOver", "MissedSweeps", "Logs", "HttpApi"].map(
    (name) => kept.resource(name).Type.split("::").at(-1),
  );
  expect(kinds).toEqual(["Table", "Queue", "Queue", "Queue", "Queue", "LogGroup", "Api"]);
  // The roles exist before a function or an integration uses one; earlier roles and permissions are deleted at the end.
  const dependencies = dependenciesOf(kept);
  for (const type of ["AWS::Lambda::Function", "AWS::ApiGatewayV2::Integration"])
    for (const [name] of kept.ofType(type)) expect(dependencies.get(name), name).toContain("Roles");
});
