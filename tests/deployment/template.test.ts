/** The compiled template: the effects of the project's plugins and settings, and the references between its parts. */
import { describe, expect, it } from "vitest";
import { readEventSources } from "../../scripts/local/sources.ts";
import { arnOf, forGame, forTests } from "./template.ts";

/** The resources that each resource of `forGame` depends on, also indirectly. */
const dependencies = new Map<string, ReadonlySet<string>>();
const findDependencies = (name: string, path: readonly string[] = []): ReadonlySet<string> => {
  const known = dependencies.get(name);
  if (known !== undefined) return known;
  if (path.includes(name)) throw new Error(`${[...path, name].join(" waits for ")}`);
  const { Properties, DependsOn } = forGame.resource(name);
  const text = JSON.stringify(Properties);
  const referred = text.match(/(?<="Ref":"|"Fn::GetAtt":\["|\$\{)\w+(?=["}.])/g) ?? [];
  const direct = [...referred, ...DependsOn].filter((one) => one in forGame.resources);
  const all = new Set(direct.flatMap((one) => [one, ...findDependencies(one, [...path, name])]));
  dependencies.set(name, all);
  return all;
};
for (const name of Object.keys(forGame.resources)) findDependencies(name);

it.each([
  ["is retained and protected in a stage with a real game", forGame, "zombie-game-spring", "Retain"],
  ["is deleted with a test stage", forTests, "zombie-game-test-packages", "Delete"],
])("the table %s, and can be restored", (_, { resource }, TableName, policy) => {
  expect(resource("Table")).toMatchObject({
    ...{ DeletionPolicy: policy, UpdateReplacePolicy: policy },
    Properties: {
      ...{ TableName, DeletionProtectionEnabled: policy === "Retain" },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
  });
});

const GIVEN = { domain: "api.hvz.example", email: "gm@hvz.example", budget: "20" };
it.each([
  [forTests, "*", 100, 200, { domain: "", email: "", budget: "" }],
  [forGame, "https://hvz.example", 300, 600, GIVEN],
])("settings reach the API, its domain, alarms and budget", (template, origin, rate, burst, given) => {
  const isSet = (value: string) => ({ "Fn::Not": [{ "Fn::Equals": [value, ""] }] });
  const [HasDomain, HasAlarmEmail, HasBudget] = Object.values(given).map(isSet);
  expect(template.conditions).toEqual({ HasDomain, HasAlarmEmail, HasBudget });
  const limits = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
  const mail = { Subscribers: [{ Address: given.email }] };
  const Budget = { BudgetLimit: { Amount: given.budget } };
  expect(template.resources).toMatchObject({
    HttpApi: { Properties: { CorsConfiguration: { AllowOrigins: [origin] } } },
    HttpApiStage: { Properties: { DefaultRouteSettings: limits } },
    Domain: { Condition: "HasDomain", Properties: { DomainName: given.domain } },
    DomainMapping: { Condition: "HasDomain" },
    AlarmEmail: { Condition: "HasAlarmEmail", Properties: { Endpoint: given.email } },
    Budget: { Condition: "HasBudget", Properties: { Budget, NotificationsWithSubscribers: [mail, mail] } },
  });
  // A change of the address replaces the budget, which CloudFormation cannot do with a name.
  expect(template.resource("Budget").Properties.Budget).not.toHaveProperty("BudgetName");
});

describe("the queue, the stream and the schedule", () => {
  it("keep their failures for two weeks in queues of their own", () => {
    const stream = forGame.resource("AnnounceEventSourceMappingDynamodbTable").Properties;
    const [[, invoked] = []] = forGame.ofType("AWS::Lambda::EventInvokeConfig");
    const [schedule] = forGame.resource("SweepEventsRuleSchedule1").Properties.Targets;
    const destinations = {
      DeadLetters: forGame.resource("Queue").Properties.RedrivePolicy.deadLetterTargetArn,
      PassedOver: stream.DestinationConfig.OnFailure.Destination,
      MissedSweeps: invoked?.Properties.DestinationConfig.OnFailure.Destination,
    };
    for (const [name, destination] of Object.entries(destinations)) {
      expect(destination, name).toEqual(arnOf(name));
      expect(forGame.resource(name).Properties.MessageRetentionPeriod, name).toBe(14 * 24 * 60 * 60);
    }
    expect(schedule.DeadLetterConfig.Arn).toEqual(arnOf("MissedSweeps"));
    // Records of a stream exist for 24 hours.
    expect(stream.MaximumRecordAgeInSeconds).toBeLessThan(24 * 60 * 60);
  });

  it("repeat a failed message after six times the worker's timeout, as Lambda recommends, without the rest of its batch", () => {
    const timeout = forGame.functions.get("deliver")?.Properties.Timeout;
    expect(forGame.resource("Queue").Properties.VisibilityTimeout).toBe(6 * timeout);
    // Without it, one failed message repeats its whole batch.
    const { FunctionResponseTypes } = forGame.resource("DeliverEventSourceMappingSQSQueue").Properties;
    expect(FunctionResponseTypes).toEqual(["ReportBatchItemFailures"]);
  });

  it("filter records of the stream as on this machine, where tests show what passes", () => {
    const { Filters } = forGame.resource("AnnounceEventSourceMappingDynamodbTable").Properties.FilterCriteria;
    const patterns: unknown[] = Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    expect(patterns).toEqual(readEventSources().stream?.patterns);
    // AWS allows more only on request.
    expect(patterns.length).toBeLessThanOrEqual(5);
  });

  it("do not fail in the first minute: the schedule starts after its permissions exist", () => {
    const rule = `arn:\${AWS::Partition}:events:\${AWS::Region}:\${AWS::AccountId}:rule/zombie-game-spring-sweep`;
    const SourceArn = { "Fn::Sub": rule };
    expect(forGame.resource("SweepEventsRuleSchedule1").Properties.Name).toBe("zombie-game-spring-sweep");
    const { Properties: permission } = forGame.resource("SweepLambdaPermissionEventsRuleSchedule1");
    expect(permission.SourceArn).toEqual(SourceArn);
    expect(forGame.resource("MissedSweepsPolicy").Properties.PolicyDocument.Statement).toMatchObject([
      { Condition: { ArnEquals: { "aws:SourceArn": SourceArn } } },
    ]);
    const before = dependencies.get("SweepEventsRuleSchedule1");
    for (const name of ["SweepLambdaPermissionEventsRuleSchedule1", "MissedSweepsPolicy", "MissedSweeps"])
      expect(before, name).toContain(name);
    expect(dependencies.get("SweepSilent")).toContain("SweepEventsRuleSchedule1");
  });
});

it("the API invokes the functions of its stage by one role, which only API Gateway can assume", () => {
  const { AssumeRolePolicyDocument, Policies } = forGame.role("HttpApiRole").Properties;
  const Principal = { Service: "apigateway.amazonaws.com" };
  const assume = [{ Effect: "Allow", Principal, Action: "sts:AssumeRole" }];
  expect(AssumeRolePolicyDocument.Statement).toEqual(assume);
  const Resource = { "Fn::Sub": expect.stringMatching(/:function:zombie-game-spring-\*$/) };
  const Statement = [{ Effect: "Allow", Action: ["lambda:InvokeFunction"], Resource }];
  expect(Policies).toMatchObject([{ PolicyDocument: { Statement } }]);
  for (const [name, { Properties }] of forGame.ofType("AWS::ApiGatewayV2::Integration"))
    expect(Properties.CredentialsArn, name).toEqual(arnOf("Roles", "Outputs.HttpApiRole"));
  const permissions = forGame.ofType("AWS::Lambda::Permission").map(([name]) => name);
  expect(permissions).toEqual(["SweepLambdaPermissionEventsRuleSchedule1"]);
});

it("one log of all functions and one of the API are kept for thirty days, without addresses, tokens and paths", () => {
  const { Format } = forGame.resource("HttpApiStage").Properties.AccessLogSettings;
  expect(Format).toContain("$context.routeKey");
  expect(Format).not.toMatch(/identity|authorizer|path|[Uu]ri|header|domain/);
  const groups = forGame.ofType("AWS::Logs::LogGroup").map(([, { Properties }]) => Properties);
  const [ofApi, ofFunctions] = ["/aws/http-api/zombie-game-spring", "/aws/lambda/zombie-game-spring"];
  expect(groups.map(({ LogGroupName }) => LogGroupName).toSorted()).toEqual([ofApi, ofFunctions]);
  for (const { LogGroupName, RetentionInDays } of groups) expect(RetentionInDays, LogGroupName).toBe(30);
  for (const [name, { Properties }] of forGame.functions)
    expect(Properties.LoggingConfig, name).toEqual({ LogGroup: ofFunctions });
});

it("functions that hash passwords have a whole processor, and the queue's worker may continue itself", () => {
  for (const name of ["new", "login", "change_password"])
    expect(forGame.functions.get(name)?.Properties.MemorySize, name).toBeGreaterThanOrEqual(1_769);
  expect(forGame.functions.get("deliver")?.Properties.RecursiveLoop).toBe("Allow");
});

describe("the order of creation", () => {
  it.each([
    ["AWS::ApiGatewayV2::", 5],
    ["AWS::Lambda::", 8],
  ])("has the resources of %s in %i chains, so no more are created at once", (prefix, most) => {
    const all = Object.entries(forGame.resources).filter(([, { Type }]) => Type.startsWith(prefix));
    const followed = new Set<string>();
    for (const [, { DependsOn }] of all) {
      const before = DependsOn.findLast((one) => !followed.has(one) && all.some(([name]) => name === one));
      if (before !== undefined) followed.add(before);
    }
    expect(all.length - followed.size).toBe(most);
  });

  it("has roles first, is reproducible, and lets no unconditional resource wait for a conditional one", () => {
    const order = ({ resources }: typeof forGame) =>
      Object.entries(resources).map(([name, { DependsOn }]) => [name, DependsOn]);
    expect(order(forTests)).toEqual(order(forGame));
    for (const [name, { Type, Condition }] of Object.entries(forGame.resources)) {
      const before = [...(dependencies.get(name) ?? [])];
      if (/Lambda::Function|V2::Integration/.test(Type)) expect(before, name).toContain("Roles");
      const conditional = before.filter((one) => forGame.resource(one).Condition !== undefined);
      if (Condition === undefined) expect(conditional, name).toEqual([]);
    }
  });
});

it("the templates are within CloudFormation's limits, with room for fifty more endpoints", () => {
  const ofEndpoint = 3;
  for (const { text, nestedText } of [forTests, forGame]) {
    expect(Object.keys(JSON.parse(text).Resources).length).toBeLessThan(500 - 50 * ofEndpoint);
    expect(Object.keys(JSON.parse(nestedText).Outputs).length).toBeLessThan(200 - 50);
    for (const each of [text, nestedText]) expect(Buffer.byteLength(each)).toBeLessThan(600_000);
  }
  expect(forGame.ofType("AWS::Lambda::Version")).toEqual([]);
});
