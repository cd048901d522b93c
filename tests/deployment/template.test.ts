/** What would be deployed keeps the game, loses no message, tells nobody who was here, and costs what was reckoned. */
import { describe, expect, inject, it } from "vitest";
import { listedFunctions } from "../../scripts/local/functions.ts";
import { readTemplate } from "./template.ts";

const packages = inject("packages");
const forTests = readTemplate(packages.forTests, "test-packages");
const kept = readTemplate(packages.kept, "spring");

const arnOf = (name: string, attribute = "Arn") => ({ "Fn::GetAtt": [name, attribute] });

describe("the table", () => {
  it("is paid on demand, encrypted, backed up at every instant, and forgets what has expired", () => {
    for (const { resource } of [forTests, kept]) {
      expect(resource("Table").Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        SSESpecification: { SSEEnabled: true },
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
    expect(rule).toMatchObject({ ScheduleExpression: "rate(1 minute)", State: "ENABLED" });
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
      Condition: { ArnEquals: { "aws:SourceArn": arnOf("SweepEventsRuleSchedule1") } },
    });
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

  it("bears no flood", () => {
    expect(kept.resource("HttpApiStage").Properties.DefaultRouteSettings).toEqual({
      DetailedMetricsEnabled: false,
      ThrottlingRateLimit: 500,
      ThrottlingBurstLimit: 1_000,
    });
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
  it("are of each function and of the API, and go after thirty days", () => {
    const groups = kept.ofType("AWS::Logs::LogGroup");
    const names = groups.map(([, { Properties }]) => Properties.LogGroupName);
    const ofFunctions = listedFunctions().map(({ name }) => `/aws/lambda/zombie-game-spring-${name}`);
    expect(names.toSorted()).toEqual([...ofFunctions, "/aws/http-api/zombie-game-spring"].toSorted());
    for (const [name, { Properties }] of groups) expect(Properties.RetentionInDays, name).toBe(30);
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
      ...{ feed: 29, kill_all_not_at_checkpoint: 29, inject_sql: 29 },
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

  it("deliver five at once, in a loop that Lambda does not cut", () => {
    expect(kept.resource("DeliverEventSourceMappingSQSQueue").Properties).toMatchObject({
      EventSourceArn: arnOf("Queue"),
      BatchSize: 4,
      ScalingConfig: { MaximumConcurrency: 5 },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    expect(kept.functions.get("deliver")?.Properties.RecursiveLoop).toBe("Allow");
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
