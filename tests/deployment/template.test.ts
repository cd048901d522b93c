/** The compiled template: the effects of the project's plugins and settings, and the references between its parts. */
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../lib/runtime/sha256.ts";
import { dependenciesOf, referencesIn } from "../../scripts/deploy/references.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { SETTINGS } from "./setup.ts";
import { arnOf, forGame, forTests } from "./template.ts";

const CreationOrder = createRequire(import.meta.url)("../../scripts/plugins/creationOrder.cjs");

/** The resources that each resource of `forGame` depends on, also indirectly. */
const dependencies = new Map<string, ReadonlySet<string>>();
const findDependencies = (name: string): ReadonlySet<string> => {
  const known = dependencies.get(name);
  if (known !== undefined) return known;
  const direct = dependenciesOf({ Resources: forGame.resources }, name);
  const all = new Set(direct.flatMap((one) => [one, ...findDependencies(one)]));
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

it("settings reach the API, its domain, alarms and budget, and without them there are no such resources", () => {
  const settingsOf = ({ resource }: typeof forGame) => ({
    origins: resource("HttpApi").Properties.CorsConfiguration.AllowOrigins,
    limits: resource("HttpApiStage").Properties.DefaultRouteSettings,
    isOnlyDomain: resource("HttpApi").Properties.DisableExecuteApiEndpoint,
  });
  expect(settingsOf(forTests)).toMatchObject({
    origins: ["*"],
    limits: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    isOnlyDomain: undefined,
  });
  expect(settingsOf(forGame)).toMatchObject({
    origins: ["https://hvz.example"],
    limits: { ThrottlingRateLimit: 300, ThrottlingBurstLimit: 600 },
    isOnlyDomain: true,
  });
  const mail = { Subscribers: [{ Address: "gm@hvz.example" }] };
  const optional = {
    MailStuck: {},
    MailBounces: {},
    Domain: { Properties: { DomainName: "api.hvz.example" } },
    DomainMapping: {},
    AlarmEmail: { Properties: { Endpoint: "gm@hvz.example" } },
    Budget: {
      Properties: { Budget: { BudgetLimit: { Amount: 20 } }, NotificationsWithSubscribers: [mail, mail] },
    },
  };
  expect(forGame.resources).toMatchObject(optional);
  const added = Object.keys(forGame.resources).filter((name) => !(name in forTests.resources));
  expect(added.toSorted()).toEqual(Object.keys(optional).toSorted());
  // A change of the address replaces the budget, which CloudFormation cannot do with a name.
  expect(forGame.resource("Budget").Properties.Budget).not.toHaveProperty("BudgetName");
});

it("pages, the public board, docs, registration and login have rates of their own, after their routes exist", () => {
  const { RouteSettings } = forGame.resource("HttpApiStage").Properties;
  const rates = Object.entries<Record<string, number>>(RouteSettings).map(
    ([route, { ThrottlingRateLimit, ThrottlingBurstLimit }]) => [
      route,
      [ThrottlingRateLimit, ThrottlingBurstLimit],
    ],
  );
  // Of 300 requests a second, with a burst of 600.
  const heads = listedFunctions().flatMap(({ routes }) => routes.filter((one) => one.startsWith("HEAD ")));
  expect(heads.length).toBeGreaterThan(0);
  expect(Object.fromEntries(rates)).toEqual({
    ...Object.fromEntries(heads.map((route) => [route, [15, 30]])),
    ...{
      "GET /app/{path+}": [300, 600],
      "GET /app": [30, 60],
      "GET /unsubscribe_email": [30, 60],
      "GET /": [300, 600],
      "GET /preview.png": [30, 60],
      "GET /public": [60, 120],
    },
    ...{ "GET /docs": [15, 30], "GET /docs/scalar.js": [15, 30], "GET /openapi.json": [15, 30] },
    ...{ "POST /login": [90, 180], "POST /new": [60, 120] },
  });
  for (const [name, { Properties }] of forGame.ofType("AWS::ApiGatewayV2::Route"))
    if (Properties.RouteKey in RouteSettings) expect(dependencies.get("HttpApiStage")).toContain(name);
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
  });

  it("do not fail in the first minute: the schedule starts after its permissions exist", () => {
    const before = dependencies.get("SweepEventsRuleSchedule1");
    for (const name of ["SweepLambdaPermissionEventsRuleSchedule1", "MissedSweepsPolicy", "MissedSweeps"])
      expect(before, name).toContain(name);
    expect(dependencies.get("SweepSilent")).toContain("SweepEventsRuleSchedule1");
  });
});

it("an endpoint has one integration, and its route for HEAD shares it", () => {
  const ofEndpoints = listedFunctions().filter(({ route }) => route !== undefined);
  const routes = forGame.ofType("AWS::ApiGatewayV2::Route").map(([, { Properties }]) => Properties.RouteKey);
  expect(routes.toSorted()).toEqual(ofEndpoints.flatMap((one) => one.routes).toSorted());
  expect(forGame.ofType("AWS::ApiGatewayV2::Integration")).toHaveLength(ofEndpoints.length);
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

it("no function's environment has a secret: of JOIN_CODE and PROXY_SECRET it has that one exists, and a hash", () => {
  const names =
    "FEEDING_PERIOD_SECONDS INJECT_SQL_WRITES JOIN_CODE_REQUIRED LOG_LEVEL MAIL_FROM MAIL_PER_MINUTE NODE_OPTIONS PARAMETERS " +
    "POWERTOOLS_SERVICE_NAME PROXY_SECRET_HASH PUBLIC_URL PUSH_ALLOWED_HOSTS QUEUE_URL TABLE_NAME VAPID_SUBJECT";
  for (const { functions, text, nestedText, ...expected } of [
    { ...forTests, JOIN_CODE_REQUIRED: "false", PROXY_SECRET_HASH: "" },
    { ...forGame, JOIN_CODE_REQUIRED: "true", PROXY_SECRET_HASH: sha256(SETTINGS.PROXY_SECRET) },
  ]) {
    const { JOIN_CODE_REQUIRED, PROXY_SECRET_HASH } = expected;
    for (const [name, { Properties }] of functions) {
      const { Variables } = Properties.Environment;
      expect(Object.keys(Variables).toSorted().join(" "), name).toBe(names);
      expect(Variables, name).toMatchObject({ JOIN_CODE_REQUIRED, PROXY_SECRET_HASH });
    }
    for (const each of [text, nestedText])
      for (const secret of [SETTINGS.JOIN_CODE, SETTINGS.PROXY_SECRET, SETTINGS.MAIL_URL])
        expect(each).not.toContain(secret);
  }
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
    for (const [, { DependsOn, Properties }] of all) {
      const before = [...referencesIn(Properties).map(({ name }) => name), ...DependsOn];
      const next = before.findLast((one) => !followed.has(one) && all.some(([name]) => name === one));
      if (next !== undefined) followed.add(next);
    }
    expect(all.length - followed.size).toBe(most);
  });

  it("depends on the template alone, not on the order in which its resources are written", () => {
    const entries = Array.from({ length: 30 }, (_, at): [string, object] => [
      `Function${at}`,
      {
        Type: "AWS::Lambda::Function",
        Properties: at > 20 ? { Role: { Ref: `Function${at - 20}` } } : {},
      },
    ]);
    const ordered = (all: typeof entries) => {
      const template = { Resources: structuredClone(Object.fromEntries(all)) };
      CreationOrder.limitCreation(template, { dependenciesOf, referencesIn });
      return template.Resources;
    };
    expect(ordered(entries.toReversed())).toEqual(ordered(entries));
  });

  it("has roles first, and lets nothing wait twice for the same resource", () => {
    for (const [name, { Type, Properties, DependsOn }] of Object.entries(forGame.resources)) {
      const usesRoles = /Lambda::(Function|EventSourceMapping)|V2::Integration/.test(Type);
      if (usesRoles) expect([...(dependencies.get(name) ?? [])], name).toContain("Roles");
      const referred = referencesIn(Properties).map((one) => one.name);
      expect(
        DependsOn.filter((one) => referred.includes(one)),
        name,
      ).toEqual([]);
    }
  });
});

it("the templates are within CloudFormation's limits, with room for twenty-five more endpoints", () => {
  const ofEndpoint = 3;
  for (const { text, nestedText } of [forTests, forGame]) {
    expect(Object.keys(JSON.parse(text).Resources).length).toBeLessThan(500 - 25 * ofEndpoint);
    expect(Object.keys(JSON.parse(nestedText).Outputs).length).toBeLessThan(200 - 25);
    for (const each of [text, nestedText]) expect(Buffer.byteLength(each)).toBeLessThan(600_000);
  }
  expect(forGame.ofType("AWS::Lambda::Version")).toEqual([]);
});
