/** `npm run deploy` with the real framework, against a fake AWS that executes its templates. */
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireDeployable } from "../../scripts/cloud/stack.ts";
import { stageOf } from "../../scripts/cloud/stage.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { leavesOut } from "../support/battery.ts";
import { AwsError, byAction, type Input, type Responses } from "../support/fakeAws.ts";
import {
  type ChangeOptions,
  cloudFormationResponses,
  successfulChanges,
} from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { stackResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { listen } from "../support/listen.ts";
import { expectError, expectSuccess, runHere, runScript, startScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const NAME = "zombie-game-spring";
const { aws, deployment } = useFakeDeployment();
let changes: ChangeOptions;
/** The existing tables, and the items in each. */
let tables: Map<string, object[]>;
let concurrency: number;
/** The statuses of the deployed API, in order; the last one is repeated. `null` is a response of the gateway itself. */
let replies: (number | null)[];
let apiRequests: number;
let api: Server;
let apiUrl = "";
/** In place of the real zips, whose upload takes most of the time: tests/deployment/bundles.test.ts is about those. */
const zipsOf = useTempDir();

beforeAll(async () => {
  api = createServer((request, response) => {
    request.resume();
    const reply = replies[Math.min(apiRequests, replies.length - 1)] ?? null;
    apiRequests += 1;
    response.writeHead(reply ?? 404, reply === null ? {} : { "x-request-id": "0" }).end("{}");
  });
  apiUrl = `http://127.0.0.1:${await listen(api)}`;
  for (const { name } of listedFunctions()) await writeFile(zipsOf(`${name}.zip`), name);
});
afterAll(() => api.close());

const tableResponses = (): Responses => {
  const describe = ({ TableName }: Input) => {
    if (!tables.has(TableName)) throw new AwsError("ResourceNotFoundException", `no ${TableName}`);
    return { TableName, TableStatus: "ACTIVE", DeletionProtectionEnabled: true };
  };
  return byAction({
    "dynamodb DescribeTable": (input) => ({ Table: describe(input) }),
    "dynamodb UpdateTable": (input) => ({ TableDescription: describe(input) }),
    "dynamodb Scan": ({ TableName }) => ({ Items: tables.get(TableName) }),
    "dynamodb DeleteTable": ({ TableName }) => (tables.delete(TableName) ? {} : {}),
  });
};

beforeEach(() => {
  changes = successfulChanges(apiUrl);
  tables = new Map();
  concurrency = 1_000;
  replies = [401];
  apiRequests = 0;
  const account = () => ({ AccountLimit: { ConcurrentExecutions: concurrency } });
  aws.respond([
    ...cloudFormationResponses(deployment, changes),
    ...stackResponses(deployment),
    ...tableResponses(),
    ...s3Responses(deployment.buckets),
    ["lambda GET /2016-08-19/account-settings", account],
  ]);
});

const settings = (given: Record<string, string> = {}): Record<string, string> => ({
  ...aws.settings,
  ZIPS_OF: zipsOf(""),
  SLS_AWS_MONITORING_FREQUENCY: "20",
  VAPID_SUBJECT: "mailto:gm@hvz.example",
  ALLOWED_ORIGINS: "https://hvz.example",
  ...given,
});

const COMMAND = ["scripts/commands/deploy.ts", "--stage", "spring"];
const deploy = (args: string[] = [], given: Record<string, string> = {}) =>
  runScript([...COMMAND, ...args], settings(given));

/** A setting that changes the template, because otherwise there is nothing to update. */
const CHANGED = { FEEDING_PERIOD_SECONDS: "3600" };

/** The folder of the deployment that runs, and the feeding period that its functions have. */
const running = () => {
  const { Resources } = deployment.stacks.get(NAME)?.template ?? { Resources: {} };
  const { Code, Environment } = Resources.HuntLambdaFunction.Properties;
  return {
    folder: String(Code.S3Key).split("/").at(-2),
    feedingPeriod: Environment.Variables.FEEDING_PERIOD_SECONDS,
  };
};

/** The concurrency of the queue's worker in the last uploaded template. */
const deliverConcurrency = (): number => {
  const [, template] = [...deployment.buckets].findLast(([path]) => path.endsWith("-template.json")) ?? [];
  const { Resources } = JSON.parse(template?.body ?? "{}");
  return Resources.DeliverEventSourceMappingSQSQueue.Properties.ScalingConfig.MaximumConcurrency;
};

const WRITES = /PutParameter|ChangeSet|DeleteStack|UpdateTable|DeleteTable|s3 (PUT|POST)/;
const writes = (): string[] =>
  aws.requests.map(({ action }) => action).filter((action) => WRITES.test(action));

/** Each starts the framework, which takes seconds: the seed chooses a third of these tests (TEST_SCALE=whole: all). */
const third = (place: number) => it.skipIf(leavesOut(place, 3));

describe("npm run deploy", () => {
  it("creates everything at the first deploy, and keeps keys and table at the second", async () => {
    const CERTIFICATE_ARN = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
    const output = expectSuccess(await deploy(["--yes"], { DOMAIN: "api.hvz.example", CERTIFICATE_ARN }));
    expect(deployment.stacks.get(NAME)?.status).toBe("UPDATE_COMPLETE");
    expect(deployment.stacks.get(NAME)?.resources?.Table).toEqual(["AWS::DynamoDB::Table", NAME]);
    for (const line of [
      `${NAME} is available at https://api.hvz.example and at ${apiUrl}`,
      /DNS record of the domain: +api\.hvz\.example CNAME d-1\.execute-api\.example/,
      "npm run doctor -- --stage spring --region eu-central-1",
      "npm run create-admin -- --alias gm --stage spring --region eu-central-1",
    ])
      expect(output).toMatch(line);
    expect(output).not.toContain("Note:");

    // The keys are SecureStrings, and are in no output and no upload.
    const keys = [...deployment.parameters];
    expect(keys.map(([name, { type }]) => [name, type])).toEqual([
      ["/zombie-game/spring/cursor-keys", "SecureString"],
      ["/zombie-game/spring/vapid-keys", "SecureString"],
    ]);
    const secrets = keys.flatMap(([, { value }]) => [
      ...value.matchAll(/"(?:key|private_key)":"([\w-]{40,})"/g),
    ]);
    expect(secrets).toHaveLength(2);
    for (const [, secret = ""] of secrets) {
      expect(output).not.toContain(secret);
      for (const [path, { body }] of deployment.buckets) expect(body.includes(secret), path).toBe(false);
    }
    const zips = [...deployment.buckets.keys()].filter((path) => path.endsWith(".zip"));
    expect(zips).toHaveLength(listedFunctions().length);
    expect(deliverConcurrency()).toBe(5);

    const before = structuredClone(deployment.parameters);
    const second = expectSuccess(await deploy(["--yes"]), "It is already deployed");
    expect(second).toContain(`${NAME} is available at ${apiUrl}`);
    expect(second).not.toContain("create-admin");
    expect(deployment.stacks.get(NAME)?.resources).not.toHaveProperty("Domain");
    expect(deployment.parameters).toEqual(before);
  });

  third(1)("reports failed resources, the state of the stack, and how to go on", async () => {
    changes.failing.set("ServerlessDeploymentBucket", "Access Denied");
    const first = await deploy(["--yes"]);
    expect(first.output).toContain("The deploy has failed:\n  ServerlessDeploymentBucket: Access Denied");
    expect(first.output).toMatch(
      /\(ROLLBACK_COMPLETE\)\. Remove it with npm run teardown -- --stage spring .* deploy again/,
    );
    changes.failing.clear();
    deployment.stacks.clear();
    expectSuccess(await deploy(["--yes"]));
    changes.failing.set("SweepLambdaFunction", "The runtime parameter of nodejs99.x is not supported");
    const { code, output } = await deploy(["--yes"], CHANGED);
    expect(code, output).toBe(1);
    expect(output).toContain(
      "The deploy has failed:\n  SweepLambdaFunction: The runtime parameter of nodejs99.x",
    );
    expect(output).toContain("The stack is now UPDATE_ROLLBACK_COMPLETE.");
    expect(output).not.toContain("Retrying");
    // The framework ends while CloudFormation is still rolling back.
    changes.isRollbackStuck = true;
    const early = await deploy(["--yes"], CHANGED);
    expect(early.output).toContain("CloudFormation continues on AWS (UPDATE_ROLLBACK_IN_PROGRESS)");
  });

  third(3)("is retried once when AWS throttled requests, and adapts to the account's limit", async () => {
    concurrency = 10;
    // The API and its permissions become available with a delay.
    replies = [null, 500, 401];
    changes.failing.set(
      "HttpApiRoutePostNew",
      "Too Many Requests (Service: ApiGatewayV2, Status Code: 429, Error Code: TooManyRequestsException)",
    );
    changes.onFailed = () => {
      changes.failing.clear();
      // A rollback retains the table.
      tables.set(NAME, []);
    };
    const output = expectSuccess(await deploy(["--yes"]));
    expect(output).toMatch(/AWS throttled requests:\n {2}HttpApiRoutePostNew: Too Many Requests/);
    expect(output).toContain(`The empty table ${NAME} has been removed`);
    expect(output).toContain("Retrying the deploy.");
    expect(output).toContain("Passwords are hashed with Argon2id by Lambda's Node.js");
    expect(apiRequests).toBe(3);
    expect(deliverConcurrency()).toBe(2);
    expect(output).toContain(
      "10 functions may run concurrently in this account and region; the queue's worker uses up to 2",
    );
    expect(output).toMatch(/Note: A limit of 10 is too low.*--quota-code L-B99A9384 --desired-value 1000/);

    changes.onFailed = () => {};
    // A resource of the nested stack.
    changes.failing.set("DeliverRole", "Rate exceeded (Service: Iam, Status Code: 400)");
    const again = await deploy(["--yes"], CHANGED);
    expect(again.code).toBe(1);
    expect(again.output.match(/Retrying the deploy\./g)).toHaveLength(1);
    expect(again.output).toContain("The deploy has failed:\n  DeliverRole: Rate exceeded");
  });

  third(5)("allows one deploy per folder and per stack, and explains an interrupted one", async () => {
    expectSuccess(await deploy(["--yes"]));
    changes.isStuck = true;
    const running = startScript([...COMMAND, "--yes"], { ...process.env, ...settings(CHANGED) });
    const { child, ended, output } = running;
    const status = () => deployment.stacks.get(NAME)?.status;
    while (status() !== "UPDATE_IN_PROGRESS" && child.exitCode === null) await sleep(20);
    expectError(await deploy(["--yes"]), "Another deploy is running from this folder");
    child.kill("SIGINT");
    expect(await ended, output()).toBe(1);
    expect(output()).toContain("Interrupted. CloudFormation continues on AWS (UPDATE_IN_PROGRESS)");
    const before = writes().length;
    expectError(await deploy(["--yes"]), /^The stage spring is being changed \(UPDATE_IN_PROGRESS since/);
    expect(writes()).toHaveLength(before);
  });

  third(7)(
    "reports that logins do not work, goes back to the previous deployment, and deploys again from there",
    async () => {
      expectSuccess(await deploy(["--yes"]));
      const first = running();
      const rollBack = (...args: string[]) => deploy(["--rollback", ...args]);
      expectError(await rollBack("--yes"), /^There is no deployment of spring to go back to\./);
      replies = [500];
      const { code, output: failed } = await deploy(["--yes"], CHANGED);
      expect(code).toBe(1);
      for (const line of [
        "Credentials: arn:aws:iam::123456789012:user/club, from AWS_ACCESS_KEY_ID",
        "The new version is deployed, but logins do not work.",
        "npm run logs -- --stage spring --region eu-central-1 --function login --since 5m",
        "To go back: npm run deploy -- --stage spring --region eu-central-1 --rollback",
      ])
        expect(failed).toContain(line);
      expect(failed).not.toContain("is available at");
      replies = [401];
      // The new deployment keeps the pages of the first for browsers that have them open.
      const pages = `s3 GET /${NAME}-bucket/serverless/zombie-game/spring/${first.folder}/app.zip`;
      expect(aws.requests.some(({ action }) => decodeURIComponent(action).startsWith(pages))).toBe(true);
      expect(running()).toMatchObject({ feedingPeriod: "3600" });
      changes.failing.set("SweepLambdaFunction", "Out of stock");
      expect((await deploy(["--yes"], { LOG_LEVEL: "DEBUG" })).code).toBe(1);
      changes.failing.clear();

      const before = writes().length;
      const dry = expectSuccess(await rollBack("--dry-run"), "Nothing has been changed.");
      expect(dry).toContain("These settings get their earlier values: FEEDING_PERIOD_SECONDS.");
      expect(dry).toContain("Not rolled back: the game with everything that was stored since, the keys");
      expect(dry).not.toContain("The table's definition");
      expect((await rollBack()).output).toContain("Give --yes to roll back spring without a prompt.");
      expect(writes()).toHaveLength(before);
      const keys = structuredClone(deployment.parameters);
      const output = expectSuccess(await rollBack("--yes"), "Passwords are hashed with Argon2id");
      expect(output).toContain(
        `runs the deployment of ${first.folder?.slice(first.folder.indexOf("-") + 1)} again`,
      );
      expect(running()).toEqual(first);
      expect(deployment.parameters).toEqual(keys);
      expectError(await rollBack("--yes"), /^There is no deployment/);

      // Otherwise the framework would skip the version that was rolled back, whose files are the latest.
      aws.requests.length = 0;
      expectSuccess(await deploy(["--yes"], CHANGED));
      expect(running()).toMatchObject({ feedingPeriod: "3600" });
      expect(aws.requests.filter(({ action }) => /^s3 HEAD .*\.zip/.test(action))).toEqual([]);
      replies = [500];
      const broken = await rollBack("--yes");
      expect(broken.output).toContain("The earlier version is deployed, but logins do not work.");
      expect(running()).toEqual(first);
    },
  );

  third(6)("removes an empty table of a failed deploy, but no game, and nothing in a dry run", async () => {
    tables.set(NAME, [{ pk: { S: "GAME" } }]);
    const { code, output } = await deploy(["--yes"]);
    expect(code, output).toBe(1);
    expect(output).toContain("still exists and contains a game");
    tables.set(NAME, []);
    const dry = expectSuccess(await deploy(["--dry-run"], { VAPID_SUBJECT: "", ALLOWED_ORIGINS: "" }));
    for (const line of [
      ...["Nothing is deployed yet", "is empty. It would be removed first", "A cursor key would be created"],
      /Note: VAPID_SUBJECT is mailto:game-master@localhost.*iPhones/,
      ...[/Note: ALLOWED_ORIGINS is \*/, "Nothing has been changed on AWS"],
    ])
      expect(dry).toMatch(line);
    expect(tables.size).toBe(1);
    expect(writes()).toEqual([]);
    expect(deployment.stacks.size + deployment.parameters.size).toBe(0);
    expectSuccess(await deploy(["--yes"]), `The empty table ${NAME} has been removed`);
  });

  const invalid = { FEEDING_PERIOD_SECONDS: "two days", BUDGET_USD: "20" };
  const fix =
    /^Bad setting: FEEDING.* must be.*; BUDGET_USD needs .*Fix it in the env.* or in \.env\.spring\.$/;
  const aKey = { CURSOR_KEY: "A".repeat(43) };
  it.each<[string, Record<string, string>, RegExp, string[]?]>([
    ["without --yes", {}, /Give --yes/, []],
    ["with invalid settings", invalid, fix],
    ["with a key in the settings", aKey, /CURSOR_KEY: the keys of a deployment are created by/],
  ])("changes nothing %s", async (_, given, message, args = ["--yes"]) => {
    const { code, output } = await runHere([...COMMAND, ...args], settings(given));
    expect(code, output).toBe(1);
    expect(output.split("\n").at(-1), output).toMatch(message);
    expect(writes()).toEqual([]);
  });
});

it.each([
  ["ROLLBACK_COMPLETE", /first deploy of spring .*npm run teardown -- --stage spring --region eu-central-1/],
  ["REVIEW_IN_PROGRESS", /\(REVIEW_IN_PROGRESS\)\. Remove it with npm run teardown/],
  ["UPDATE_ROLLBACK_FAILED", /is stuck \(UPDATE_ROLLBACK_FAILED\)/],
  ["DELETE_IN_PROGRESS", /stage spring is being changed/],
])("a stack in the state %s cannot be deployed", (status, message) => {
  const stage = stageOf({ stage: "spring", region: "eu-central-1" }, "deploy");
  const stack = { status, since: new Date(0), url: undefined, domainTarget: undefined };
  expect(() => requireDeployable(stack, stage)).toThrow(message);
});
