/** `npm run doctor`: a healthy deployment, deployments with one problem each, and this machine. */
import { copyFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../scripts/cli/ports.ts";
import type { Finding } from "../../scripts/doctor/findings.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { VAPID } from "../support/constants.ts";
import { copyTree } from "../support/copiedTree.ts";
import { AwsError, type Responses } from "../support/fakeAws.ts";
import { parameter, type Stack, stackResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { runHere, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
const { aws, deployment } = useFakeDeployment();
/** A local service, whose functions are also those of the fake deployment. */
let service: RunningService;
beforeAll(async () => {
  service = await npmStart({ GAME_FILE: pathOf("running.db") });
});
afterAll(() => service.stop());

const NAME = "zombie-game-spring";
const CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
const CURSOR_KEYS = "/zombie-game/spring/cursor-keys";
const keysOf = (key: object) => parameter([{ ...key, since: new Date(0).toISOString() }]);

const TABLE = {
  ...{ TableName: NAME, TableStatus: "ACTIVE", ItemCount: 1234, DeletionProtectionEnabled: true },
  StreamSpecification: { StreamEnabled: true },
  GlobalSecondaryIndexes: [{ IndexName: "gsi1", IndexStatus: "ACTIVE" }],
};
const subscribed = (SubscriptionArn: string) => ({
  Subscriptions: [{ Protocol: "email", Endpoint: "gm@hvz.example", SubscriptionArn }],
});
const recovery = (PointInTimeRecoveryStatus: string) => ({
  ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
});
const concurrency = (ConcurrentExecutions: number) => ({ AccountLimit: { ConcurrentExecutions } });
const source = (State: string, LastProcessingResult = "OK") => ({
  EventSourceMappings: [{ State, LastProcessingResult }],
});

/** Responses of AWS by action, for a healthy deployment. */
const HEALTHY = {
  "lambda GET /2016-08-19/account-settings": concurrency(1_000),
  "sns ListSubscriptionsByTopic": subscribed("arn:aws:sns:eu-central-1:1:alarms:1"),
  "acm DescribeCertificate": { Certificate: { Status: "ISSUED", DomainName: "*.hvz.example" } },
  "dynamodb DescribeTable": { Table: TABLE },
  "dynamodb DescribeTimeToLive": { TimeToLiveDescription: { TimeToLiveStatus: "ENABLED" } },
  "dynamodb DescribeContinuousBackups": recovery("ENABLED"),
  "dynamodb GetItem": {},
  "sqs GetQueueAttributes": { Attributes: { ApproximateNumberOfMessages: "0" } },
  "events DescribeRule": { State: "ENABLED", ScheduleExpression: "rate(1 minute)" },
};
/** Other responses, or errors. */
type Damage = Partial<Record<keyof typeof HEALTHY, object>>;
let damage: Damage;
let sources: object;
const stackIs = (more: Partial<Stack>): void => {
  deployment.stacks.set(NAME, { status: "UPDATE_COMPLETE", ...deployment.stacks.get(NAME), ...more });
};
const resources = () => deployment.stacks.get(NAME)?.resources ?? {};

const answering = (response: object) => () => {
  if (response instanceof AwsError) throw response;
  return response;
};
const responses = (): Responses => [
  ...stackResponses(deployment),
  ...Object.entries({ ...HEALTHY, ...damage }).map(
    ([action, response]) => [action, answering(response)] as const,
  ),
  [/^lambda GET .*event-source-mappings/, () => sources],
  [/^lambda POST .*invocations/, () => ({})],
];

beforeEach(() => {
  [damage, sources] = [{}, source("Enabled")];
  const queues = ["Queue", "DeadLetters", "PassedOver", "MissedSweeps"];
  stackIs({
    url: service.base,
    resources: {
      ...Object.fromEntries(
        queues.map((name) => [name, ["AWS::SQS::Queue", `https://sqs.example/1/${name}`]]),
      ),
      Table: ["AWS::DynamoDB::Table", NAME],
      SweepEventsRuleSchedule1: ["AWS::Events::Rule", "sweep-rule"],
      Alarms: ["AWS::SNS::Topic", "arn:aws:sns:eu-central-1:1:alarms"],
      AlarmEmail: ["AWS::SNS::Subscription", "arn:aws:sns:eu-central-1:1:alarms:1"],
    },
  });
  deployment.parameters.set(CURSOR_KEYS, keysOf({ key: "A".repeat(43) }));
  const pair = { public_key: "A".repeat(87), private_key: "A".repeat(43) };
  deployment.parameters.set("/zombie-game/spring/vapid-keys", keysOf(pair));
  aws.respond(responses);
});

/** Runs the command. @returns its exit code, what was checked, and each finding in a line, by whether it is `ok` */
const runDoctor = async (args: readonly string[], settings: Record<string, string>, root = ROOT) => {
  const run = root === ROOT ? runHere : runScript;
  const command = [join(root, "scripts/commands/doctor.ts"), ...args, "--json"];
  const { code, output } = await run(command, { ...aws.settings, ...settings });
  const all: Finding[] = output.split("\n").map((line) => JSON.parse(line));
  const lines = all.map(({ state, what, text, fix = "" }) => `${state} ${what}: ${text} ${fix}`.trim());
  const ok = lines.filter((line) => line.startsWith("ok ")).join("\n");
  // Which tools of the tests are installed depends on this machine.
  const problems = lines.filter((line) => !/^(ok |note tools:)/.test(line));
  return { code, checked: all.map(({ what }) => what), ok, problems };
};
type Result = Awaited<ReturnType<typeof runDoctor>>;

/** Expects these findings that are not `ok`, and no others. Notes alone are no reason to fail. */
const expectProblems = ({ code, problems }: Result, patterns: readonly (RegExp | string)[]): void => {
  expect(problems).toEqual(patterns.map((one) => expect.stringMatching(one)));
  expect(code).toBe(problems.every((one) => one.startsWith("note ")) ? 0 : 1);
};

/** Checks the stage `spring`. */
const check = (settings: Record<string, string> = {}, args: readonly string[] = ["--no-requests"]) =>
  runDoctor(["--stage", "spring", ...args], {
    ...{ VAPID_SUBJECT: "mailto:gm@hvz.example", ALLOWED_ORIGINS: "http://localhost:8080" },
    // Not the game of the user who runs the tests.
    GAME_FILE: ":memory:",
    ...settings,
  });

describe("npm run doctor --stage", () => {
  it("finds no problem in a healthy deployment, calls every function, and changes nothing", async () => {
    const result = await check({}, []);
    expectProblems(result, []);
    const count = listedFunctions().length;
    const ok = [`${count} of ${count} functions respond as expected`, "Passwords are hashed with Argon2id"];
    for (const one of [...ok, "localhost in ALLOWED_ORIGINS exists"]) expect(result.ok).toContain(one);
    expect([...new Set(result.checked)].toSorted().join(" ")).toBe(
      "Node.js alarms clock credentials domain functions keys pages passwords queue quota schedule settings stack stream sweep table",
    );
    const invoked = aws.requests.filter(({ action }) => action.includes("/invocations"));
    expect(invoked).toHaveLength(listedFunctions().filter(({ route }) => route === undefined).length);
    expect(aws.requests.filter(({ action }) => /Put|Update|Delete|Create/.test(action))).toEqual([]);
  });

  it("finds all problems of a deployment, and nothing else", async () => {
    const clock = { at: 0, held: { since: 1, until: 32_400_000, due: 31 } };
    const GlobalSecondaryIndexes = [{ IndexName: "gsi2", IndexStatus: "CREATING" }];
    const unprotected = { DeletionProtectionEnabled: false, StreamSpecification: { StreamEnabled: false } };
    damage = {
      "dynamodb DescribeTable": { Table: { ...TABLE, ...unprotected, GlobalSecondaryIndexes } },
      "dynamodb DescribeTimeToLive": { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } },
      "dynamodb DescribeContinuousBackups": recovery("DISABLED"),
      "lambda GET /2016-08-19/account-settings": concurrency(10),
      "events DescribeRule": { State: "DISABLED" },
      "sns ListSubscriptionsByTopic": subscribed("PendingConfirmation"),
      "dynamodb GetItem": { Item: marshall(clock) },
    };
    sources = source("Disabled");
    deployment.parameters.clear();
    stackIs({ status: "UPDATE_ROLLBACK_FAILED" });
    expectProblems(await check(), [
      /^wrong quota: 10 functions may run concurrently.*players would get 503/,
      /^wrong stack: .*UPDATE_ROLLBACK_FAILED/,
      /^wrong keys: There is no cursor key/,
      /^wrong keys: There is no VAPID key pair/,
      /^wrong table: .*gsi2 is CREATING/,
      /^wrong table: .*no stream/,
      /^wrong table: .*do not expire/,
      /^wrong table: .*no point-in-time recovery/,
      /^wrong table: .*no deletion protection/,
      /^wrong queue: deliver has an event source that is Disabled/,
      /^wrong stream: announce has an event source that is Disabled/,
      /^wrong schedule: .*DISABLED/,
      /^wrong alarms: gm@hvz\.example was never confirmed/,
      /^wrong sweep: Sweeps are held .* 9 hours later, and would have recorded 31 zombies/,
    ]);
  });

  it("finds resources that are missing, what it may not read, and what could be better", async () => {
    delete resources().SweepEventsRuleSchedule1;
    delete resources().Queue;
    damage = {
      "dynamodb DescribeTable": new AwsError("AccessDeniedException", "not authorized to perform it"),
      "sns ListSubscriptionsByTopic": { Subscriptions: [] },
      "sqs GetQueueAttributes": { Attributes: { ApproximateNumberOfMessages: "2" } },
    };
    sources = source("Enabled", "PROBLEM: Function call failed");
    deployment.parameters.set(CURSOR_KEYS, keysOf({ key: "short" }));
    const settings = { VAPID_SUBJECT: "mailto:gm@localhost", ALLOWED_ORIGINS: "*" };
    expectProblems(await check({ ...settings, AWS_DEFAULT_PROFILE: "club" }), [
      /^note settings: VAPID_SUBJECT/,
      /^note settings: ALLOWED_ORIGINS/,
      /^note credentials: AWS_ACCESS_KEY_ID is used; AWS_DEFAULT_PROFILE is also set and ignored/,
      /^wrong keys: The parameter .*cursor-keys is invalid/,
      /^wrong table: .*may not describe the table.*not authorized/,
      /^wrong queue: The stack has no queue Queue/,
      /^note queue: DeadLetters: 2 messages/,
      /^note queue: PassedOver: 2 messages/,
      /^note queue: MissedSweeps: 2 messages/,
      /^wrong queue: .*PROBLEM/,
      /^wrong stream: .*PROBLEM/,
      /^wrong schedule: The stack has no schedule/,
      /^wrong alarms: No e-mail is sent.*48 hours/,
    ]);
  });

  const ResourceRecord = { Name: "_1.hvz.example.", Type: "CNAME", Value: "_2.acm." };
  const pending = { Status: "PENDING_VALIDATION", DomainValidationOptions: [{ ResourceRecord }] };
  it.each<[object, RegExp?]>([
    [{}],
    [{ DomainName: "*.club.example" }, /is for \*\.club\.example, not for api\.hvz\.example.*aws acm req/],
    [pending, /is PENDING_VALIDATION.*_1\.hvz\.example\. CNAME _2\.acm\./],
    [{ Status: "EXPIRED" }, /is EXPIRED.*request-certificate/],
    [new AwsError("ResourceNotFoundException", "no certificate"), /There is no certificate/],
  ])("checks the certificate of a domain that is not deployed yet: %j", async (certificate, problem) => {
    const Certificate = { ...HEALTHY["acm DescribeCertificate"].Certificate, ...certificate };
    damage = { "acm DescribeCertificate": certificate instanceof AwsError ? certificate : { Certificate } };
    const found = await check({ DOMAIN: "api.hvz.example", CERTIFICATE_ARN: CERTIFICATE });
    const notDeployed = /^wrong domain: DOMAIN is api\.hvz\.example, but .* no domain yet\./;
    expectProblems(found, problem === undefined ? [notDeployed] : [problem, notDeployed]);
  });

  it("finds functions that fail, and those in whose place the gateway responds", async () => {
    const gone = new AwsError("ResourceNotFoundException", "no such function", 404);
    aws.respond(() => [[/-announce\/invocations/, answering(gone)], ...responses()]);
    delete resources().AlarmEmail;
    // Enabling time to live takes up to an hour.
    damage = { "dynamodb DescribeTimeToLive": { TimeToLiveDescription: { TimeToLiveStatus: "ENABLING" } } };
    const log = "npm run logs -- --stage spring --region eu-central-1 --function announce --since 5m";
    const failed = `^wrong functions: announce: AWS did not invoke announce in eu-central-1.* ${log}$`;
    expectProblems(await check({}, []), [/^note alarms: ALARM_EMAIL is not set/, failed]);
    aws.respond(responses);
    // At this URL there is no function, so the responses have no request id of the service.
    stackIs({ url: aws.settings.AWS_ENDPOINT_URL ?? "" });
    const { problems } = await check({}, []);
    const named = problems.flatMap((one) => /^wrong functions: (\w+):/.exec(one)?.[1] ?? []);
    const endpoints = listedFunctions().filter(({ route }) => route !== undefined);
    expect(named.toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted());
    for (const message of [/^wrong passwords: /, /^wrong pages: .*\/: the status is 403; .*security-policy/])
      expect(problems).toContainEqual(expect.stringMatching(message));
  });

  it("finds what is missing for a first deploy: credentials, settings, the deployment", async () => {
    const without = await check({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expectProblems(without, ["There are no AWS credentials"]);
    deployment.stacks.clear();
    const undeployed =
      /^note stack: There is no stage spring in eu-central-1 .*npm run deploy -- --stage spring/;
    expectProblems(await check(), [undeployed]);
    const invalid = await check({ FEEDING_PERIOD_SECONDS: "soon" });
    expectProblems(invalid, [/^wrong settings: .*FEEDING_PERIOD_SECONDS/, undeployed]);
  });
});

describe("npm run doctor", () => {
  const LOCAL = ["Node.js", "packages", "settings", "database", "port", "game", "tools", "tools"];

  const checkLocal = async (settings: Record<string, string>, root = ROOT) =>
    runDoctor([], { PORT: String(await freePort()), ...settings }, root);

  it("checks this machine and the game's running service, and treats AWS as optional", async () => {
    const GAME_FILE = pathOf("new.db");
    const without = await checkLocal({ GAME_FILE, AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expectProblems(without, [/^note credentials: AWS is optional.*There are no AWS cred/]);
    expect(without.checked).toEqual([...LOCAL, "credentials"]);
    expect(without.ok).toMatch(/^ok game: The first npm start creates its file/m);
    expect(await readdir(pathOf("."))).not.toContain("new.db");
    // A low limit is enough to try the service.
    damage = { "lambda GET /2016-08-19/account-settings": concurrency(10) };
    const found = await checkLocal({ GAME_FILE });
    expectProblems(found, [/^note quota: .*10 functions may run concurrently.*--quota-code L-B99A9384/]);
    expect(found.checked).toEqual([...LOCAL, "credentials", "clock", "quota"]);
    damage = {};
    const running = await checkLocal({ GAME_FILE: pathOf("running.db"), PORT: String(service.port) });
    expectProblems(running, []);
    const { pid } = service.process;
    expect(running.ok).toContain(`The service of this game is running on ${service.base} (process ${pid}).`);
    expect(running.ok).toMatch(/^ok game: .*running.db is readable and writable, and its size is \d/m);
    expect(running.ok).toMatch(/^ok keys: .*running.db.keys.json contains the keys/m);
  });

  it("finds each local problem once, and says how to fix it", async () => {
    const file = pathOf("other.db");
    await writeFile(file, "not a database, but long enough to be one");
    await writeFile(`${file}.keys.json`, JSON.stringify(VAPID));
    // Its service was killed, and that of another game has its port now.
    await copyFile(pathOf("running.db.run.json"), `${file}.run.json`);
    expectProblems(await checkLocal({ GAME_FILE: file, PORT: String(service.port) }), [
      /^wrong port: Port \d+ is in use\. .*choose another/,
      /^wrong game: .*is not a database\. Name another/,
      /^wrong keys: The keys in .*Put a copy of the file back\. Without one, remove it/,
    ]);
    await symlink(pathOf("away/game.db"), pathOf("lost.db"));
    const unreachable = { DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
    for (const [settings, problem] of [
      [{ GAME_FILE: join(file, "game.db") }, /^wrong settings: GAME_FILE=.*cannot be written/],
      [{ GAME_FILE: pathOf("lost.db") }, /^wrong settings: GAME_FILE=.*is a link into a folder/],
      [{ PORT: "many", LOG_LEVEL: "LOUD" }, /^wrong settings: Bad setting: PORT .*; LOG_LEVEL/],
      [unreachable, /^wrong database: DYNAMODB_ENDPOINT=.*remove the setting/],
    ] as const)
      expectProblems(await checkLocal({ GAME_FILE: pathOf("absent.db"), ...settings }), [problem]);
  });

  it("finds packages that do not match package-lock.json, and misspelt settings", async () => {
    const copy = await copyTree();
    onTestFinished(copy.remove);
    const version = "1.0.0";
    const optional = { version, optional: true, cpu: process.arch };
    const packages = {
      ...{ "node_modules/zod": { version }, "node_modules/there-is-none": { version } },
      "node_modules/for-this-machine": { ...optional, os: [process.platform] },
      "node_modules/for-another": { ...optional, os: "plan9" },
    };
    await writeFile(join(copy.root, "package-lock.json"), JSON.stringify({ packages }));
    await writeFile(join(copy.root, ".env"), "FEEDING_PERIOD=60\n");
    const missing = "there-is-none is missing, for-this-machine is missing. npm ci$";
    expectProblems(await checkLocal({ GAME_FILE: pathOf("copy.db") }, copy.root), [
      `^wrong packages: .*: zod is \\S+ instead of 1.0.0, ${missing}`,
      /^note settings: FEEDING_PERIOD in .env .*FEEDING_PERIOD_SECONDS/,
    ]);
  });
});
