/**
 * `npm run deploy` and what comes of it, with the framework at work on a cloud that carries out its templates: how the
 * first deploy goes, the second, one that fails, one that is cut off, and two at once.
 */
import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { AwsError, type Cloud, type Input, type Responses, startCloud } from "../support/cloud.ts";
import { ROOT } from "../support/endpoints.ts";
import {
  type ChangeOptions,
  cloudFormationResponses,
  successfulChanges,
} from "../support/fakeCloudFormation.ts";
import { type Buckets, s3Responses } from "../support/fakeS3.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
import { runScript } from "../support/runScript.ts";

let deployment: Deployment;
let buckets: Buckets;
let changing: ChangeOptions;
/** Tables that there are, and whether something lies in them. */
let tables: Map<string, { isEmpty: boolean }>;
let cloud: Cloud;
let more: Responses;
/** How many functions may run at once. */
let concurrency: number;
/** What the deployed API answers, one after the other; the last one again and again. */
let replies: { status: number; isOurs: boolean }[];
let api: Server;
/** How often the API was asked. */
let requests: number;
let apiUrl = "";

beforeAll(async () => {
  api = createServer((request, response) => {
    request.resume();
    const { status, isOurs } = replies[Math.min(requests, replies.length - 1)] ?? {
      status: 500,
      isOurs: false,
    };
    requests += 1;
    response.writeHead(status, isOurs ? { "x-request-id": "0" } : {}).end("{}");
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const address = api.address();
  apiUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => api.close());

const answersOfTables = (): Responses => {
  const known = (name: string): { isEmpty: boolean } => {
    const found = tables.get(name);
    if (found === undefined) throw new AwsError("ResourceNotFoundException", `no ${name}`);
    return found;
  };
  const described = (TableName: string) => ({
    TableName,
    TableStatus: "ACTIVE",
    DeletionProtectionEnabled: true,
  });
  return [
    [
      "dynamodb DescribeTable",
      ({ TableName }: Input) => {
        known(TableName);
        return { Table: described(TableName) };
      },
    ],
    [
      "dynamodb Scan",
      ({ TableName }: Input) => ({ Items: known(TableName).isEmpty ? [] : [{ pk: { S: "GAME" } }] }),
    ],
    ["dynamodb UpdateTable", ({ TableName }: Input) => ({ TableDescription: described(TableName) })],
    [
      "dynamodb DeleteTable",
      ({ TableName }: Input) => {
        tables.delete(TableName);
        return {};
      },
    ],
  ];
};

beforeEach(async () => {
  deployment = emptyDeployment();
  buckets = new Map();
  changing = successfulChanges(apiUrl);
  tables = new Map();
  more = [];
  concurrency = 1_000;
  replies = [{ status: 401, isOurs: true }];
  requests = 0;
  const stacks = cloudFormationResponses(deployment, buckets, changing);
  cloud = await startCloud(() => [
    ...more,
    ...stacks,
    ...stackResponses(deployment),
    ...answersOfTables(),
    ...s3Responses(buckets),
    [
      "lambda GET /2016-08-19/account-settings",
      () => ({ AccountLimit: { ConcurrentExecutions: concurrency } }),
    ],
  ]);
});
afterEach(() => cloud.close());

const settings = (given: Record<string, string> = {}): Record<string, string> => ({
  ...cloud.settings,
  // What was packaged before any of these stories, so that none packages anew.
  ZIPS_OF: inject("packages").forTests,
  SLS_AWS_MONITORING_FREQUENCY: "20",
  VAPID_SUBJECT: "mailto:gm@hvz.example",
  ALLOWED_ORIGINS: "https://hvz.example",
  ...given,
});

const deploy = (args: string[] = [], given: Record<string, string> = {}) =>
  runScript(["scripts/commands/deploy.ts", "--stage", "spring", ...args], settings(given));

/** What the first deploy made, for the stories that begin after it. */
let first: { deployment: Deployment; buckets: Buckets } | undefined;

/** Takes up what a first deploy leaves. */
const deployedOnce = async (): Promise<void> => {
  if (first === undefined) {
    const { code, said } = await deploy(["--yes"]);
    expect(code, said).toBe(0);
    first = structuredClone({ deployment, buckets });
    return;
  }
  const made = structuredClone(first);
  for (const [name, stack] of made.deployment.stacks) deployment.stacks.set(name, stack);
  for (const [name, parameter] of made.deployment.parameters) deployment.parameters.set(name, parameter);
  for (const [path, stored] of made.buckets) buckets.set(path, stored);
};

/** How many batches of the queue are worked on at once, by the template that was uploaded last. */
const workersAtOnce = (): number => {
  const [, template] = [...buckets].findLast(([path]) => path.endsWith("-template.json")) ?? [];
  const { Resources } = JSON.parse(template?.body ?? "{}");
  return Resources.DeliverEventSourceMappingSQSQueue.Properties.ScalingConfig.MaximumConcurrency;
};

const changes = (): string[] =>
  cloud.asked
    .map(({ what }) => what)
    .filter((what) => /PutParameter|ChangeSet|DeleteStack|UpdateTable|DeleteTable|s3 (PUT|POST)/.test(what));

describe("npm run deploy", () => {
  it("makes everything the first time, and says what is next", async () => {
    const { code, said } = await deploy(["--yes"], {
      DOMAIN: "api.hvz.example",
      CERTIFICATE_ARN: "arn:aws:acm:eu-central-1:123456789012:certificate/1-2",
    });
    expect(code, said).toBe(0);
    const { status, resources = {} } = deployment.stacks.get("zombie-game-spring") ?? { status: "" };
    expect(status).toBe("UPDATE_COMPLETE");
    const types = Object.values(resources).map(([type]) => type);
    const functions = listedFunctions().length;
    expect(functions).toBeGreaterThanOrEqual(49);
    expect(types.filter((type) => type === "AWS::Lambda::Function").length).toBeGreaterThanOrEqual(functions);
    expect(resources.Table).toEqual(["AWS::DynamoDB::Table", "zombie-game-spring"]);
    expect(said).toContain(`zombie-game-spring answers at https://api.hvz.example and at ${apiUrl}`);
    expect(said).toMatch(/DNS record of the domain: +api\.hvz\.example CNAME d-1\.execute-api\.example/);
    expect(said).toContain("npm run doctor -- --stage spring --region eu-central-1");
    expect(said).toContain("npm run create-admin -- --alias gm --stage spring --region eu-central-1");
    expect(said).not.toContain("Note:");

    // Keys are made before, as SecureStrings, and stand nowhere else.
    const keys = [...deployment.parameters];
    expect(keys.map(([name, { type }]) => [name, type])).toEqual([
      ["/zombie-game/spring/cursor-keys", "SecureString"],
      ["/zombie-game/spring/vapid-keys", "SecureString"],
    ]);
    const secrets = keys.flatMap(([, { value }]) => [...value.matchAll(/"(?:key|private_key)":"([\w-]+)"/g)]);
    expect(secrets).toHaveLength(2);
    for (const [, secret = ""] of secrets) {
      expect(secret.length).toBeGreaterThan(40);
      expect(said).not.toContain(secret);
      for (const [path, { body }] of buckets) expect(body.includes(secret), path).toBe(false);
    }
    const uploaded = [...buckets.keys()].filter((path) => path.endsWith(".zip"));
    expect(uploaded).toHaveLength(functions);
    expect(workersAtOnce()).toBe(5);

    first = structuredClone({ deployment, buckets });

    // The second time, keys and table stay.
    const before = structuredClone(deployment.parameters);
    const again = await deploy(["--yes"]);
    expect(again.code, again.said).toBe(0);
    expect(again.said).toContain("It is there already");
    expect(again.said).toContain(`zombie-game-spring answers at ${apiUrl}`);
    expect(deployment.stacks.get("zombie-game-spring")?.resources).not.toHaveProperty("Domain");
    expect(again.said).not.toContain("create-admin");
    expect(deployment.parameters).toEqual(before);
  });

  it("says in a dry run what it would do, and changes nothing", async () => {
    const { code, said } = await deploy(["--dry-run"], { VAPID_SUBJECT: "", ALLOWED_ORIGINS: "" });
    expect(code, said).toBe(0);
    expect(said).toContain("Nothing of it is there yet");
    expect(said).toContain("A key of cursors would be made");
    expect(said).toMatch(/Note: VAPID_SUBJECT is mailto:game-master@localhost.*iPhones/);
    expect(said).toMatch(/Note: ALLOWED_ORIGINS is \*/);
    expect(said).toContain("Nothing has been changed with AWS");
    expect(changes()).toEqual([]);
    expect(deployment).toEqual(emptyDeployment());
  });

  it("that fails says what failed, and leaves what was before", async () => {
    await deployedOnce();
    changing.failing.set("SweepLambdaFunction", "The runtime parameter of nodejs99.x is not supported");
    // Otherwise there is nothing to change.
    const { code, said } = await deploy(["--yes"], { FEEDING_PERIOD_SECONDS: "3600" });
    expect(code, said).toBe(1);
    expect(said).toContain(
      "The deploy has failed:\n  SweepLambdaFunction: The runtime parameter of nodejs99.x is not supported",
    );
    expect(said).toContain("AWS stands at UPDATE_ROLLBACK_COMPLETE.");
    expect(said).not.toContain("once more");
    // The framework ends with the first that fails, while CloudFormation still goes back.
    changing.isSlow = true;
    const early = await deploy(["--yes"], { FEEDING_PERIOD_SECONDS: "3600" });
    expect(early.said).toContain("The deploy has failed:\n  SweepLambdaFunction: The runtime");
    expect(early.said).toContain("CloudFormation goes on by itself (UPDATE_ROLLBACK_IN_PROGRESS)");
    const stack = deployment.stacks.get("zombie-game-spring");
    deployment.stacks.set("zombie-game-spring", { ...stack, status: "UPDATE_ROLLBACK_COMPLETE" });
    changing.isSlow = false;
    changing.failing.clear();
    expect((await deploy(["--yes"], { FEEDING_PERIOD_SECONDS: "3600" })).code).toBe(0);
  });

  it("is tried once more when AWS was asked for too much at once, and once only", async () => {
    concurrency = 10;
    // The API's name, and what its functions may, come after a while.
    replies = [
      { status: 404, isOurs: false },
      { status: 500, isOurs: true },
      { status: 401, isOurs: true },
    ];
    changing.failing.set(
      "HttpApiRoutePostNew",
      "Too Many Requests (Service: ApiGatewayV2, Status Code: 429, Error Code: TooManyRequestsException)",
    );
    changing.onFailed = () => {
      changing.failing.clear();
      // It is kept when its stack goes back.
      tables.set("zombie-game-spring", { isEmpty: true });
    };
    const { code, said } = await deploy(["--yes"]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/AWS was asked for too much at once:\n {2}HttpApiRoutePostNew: Too Many Requests/);
    expect(said).toContain("The empty table zombie-game-spring has been removed");
    expect(said).toContain("Trying once more.");
    expect(said).toContain("Passwords are hashed with Argon2id by Lambda's own Node.js");
    expect(said).toContain(`zombie-game-spring answers at ${apiUrl}`);
    expect(requests).toBe(3);
    // In an account that may run ten functions at once.
    expect(workersAtOnce()).toBe(2);
    expect(said).toContain(
      "10 functions may run at once in this account and region; the queue's worker takes 2",
    );
    expect(said).toMatch(/Note: 10 at once are too few.*--quota-code L-B99A9384 --desired-value 1000/);

    changing.onFailed = () => {};
    changing.failing.set("DeliverLambdaFunction", "Rate exceeded (Service: Lambda, Status Code: 429)");
    const again = await deploy(["--yes"], { FEEDING_PERIOD_SECONDS: "3600" });
    expect(again.code).toBe(1);
    expect(again.said.match(/Trying once more\./g)).toHaveLength(1);
    expect(again.said).toContain("The deploy has failed:\n  DeliverLambdaFunction: Rate exceeded");
  });

  it("fails when no password can be hashed there, and says how to go back", async () => {
    await deployedOnce();
    replies = [{ status: 500, isOurs: true }];
    const { code, said } = await deploy(["--yes"], { FEEDING_PERIOD_SECONDS: "7200" });
    expect(code).toBe(1);
    expect(said).toContain("The new version is deployed, and logins do not work there.");
    expect(said).toContain(
      "npm run logs -- --stage spring --region eu-central-1 --function login --since 5m",
    );
    expect(said).toContain("To go back, check out the version that ran before, run npm ci, and deploy it");
    expect(said).not.toContain("answers at");
  });

  it("deploys by the credentials that it has checked, and says whose they are", async () => {
    await deployedOnce();
    cloud.asked.length = 0;
    const given = { AWS_SPRING_ACCESS_KEY_ID: "stage", AWS_SPRING_SECRET_ACCESS_KEY: "secret" };
    const { code, said } = await deploy(["--yes"], { ...given, FEEDING_PERIOD_SECONDS: "3600" });
    expect(code, said).toBe(0);
    expect(said).toContain("As arn:aws:iam::123456789012:user/club, by AWS_SPRING_ACCESS_KEY_ID:");
    expect(said).toContain("AWS_ACCESS_KEY_ID is set too, and not used");
    expect(cloud.count("cloudformation ExecuteChangeSet")).toBe(1);
    const keys = cloud.asked.map(
      ({ headers }) => /Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1],
    );
    expect(new Set(keys)).toEqual(new Set(["stage"]));
  });

  it("that is cut off says how it goes on, and a second one waits for that", async () => {
    await deployedOnce();
    changing.isStuck = true;
    const child = spawn(process.execPath, ["scripts/commands/deploy.ts", "--stage", "spring", "--yes"], {
      cwd: ROOT,
      env: { ...process.env, ...settings({ FEEDING_PERIOD_SECONDS: "7200" }) },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const status = () => deployment.stacks.get("zombie-game-spring")?.status;
    while (status() !== "UPDATE_IN_PROGRESS" && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // Another from the same folder waits for what this one has there.
    const beside = await deploy(["--yes"]);
    expect(beside).toMatchObject({
      code: 1,
      said: expect.stringContaining("Another deploy runs from this folder"),
    });
    child.kill("SIGINT");
    expect(await ended, said).toBe(1);
    expect(said).toContain("Cut off: CloudFormation goes on by itself (UPDATE_IN_PROGRESS)");
    // And from anywhere, for CloudFormation.
    const already = changes().length;
    const second = await deploy(["--yes"]);
    expect(second.code, second.said).toBe(1);
    expect(second.said).toMatch(
      /^Something is under way with the stage spring already \(UPDATE_IN_PROGRESS since/,
    );
    expect(second.said.split("\n")).toHaveLength(1);
    expect(changes()).toHaveLength(already);
  });

  it("finds the table of an earlier deployment, and takes away none that holds a game", async () => {
    tables.set("zombie-game-spring", { isEmpty: false });
    const refused = await deploy(["--yes"]);
    expect(refused.code, refused.said).toBe(1);
    expect(refused.said).toContain("is still there, with its game");
    expect(changes()).toEqual([]);
    tables.set("zombie-game-spring", { isEmpty: true });
    const dry = await deploy(["--dry-run"]);
    expect(dry.said).toContain("is empty: it would be removed first");
    expect(tables.size).toBe(1);
    const { code, said } = await deploy(["--yes"]);
    expect(code, said).toBe(0);
    expect(said).toContain("The empty table zombie-game-spring has been removed");
  });

  it("says in one line what is wrong, before anything is changed", async () => {
    const stackIn = (status: string): Responses => [
      [
        "cloudformation DescribeStacks",
        () => ({
          Stacks: [{ StackName: "zombie-game-spring", StackStatus: status, CreationTime: new Date(0) }],
        }),
      ],
    ];
    const wrong: [string[], Record<string, string>, Responses, RegExp][] = [
      [[], {}, [], /give --yes/],
      [["--yes"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" }, [], /There are no AWS credentials/],
      [
        ["--yes"],
        { FEEDING_PERIOD_SECONDS: "two days" },
        [],
        /FEEDING_PERIOD_SECONDS must be.*in \.env\.spring/,
      ],
      [
        ["--yes"],
        {
          ...{ DOMAIN: "https://api.hvz.example", REQUESTS_PER_SECOND: "many", BUDGET_USD: "20" },
          CERTIFICATE_ARN: "arn:aws:acm:us-east-1:123456789012:certificate/0-1",
        },
        [],
        /^Bad setting: BUDGET_USD needs ALARM_EMAIL.*; DOMAIN must be a host name.*; CERTIFICATE_ARN is in us-east-1: .*eu-central-1.*; REQUESTS_PER_SECOND must be a whole number.*Mend it in the environment or in \.env\.spring\.$/,
      ],
      [
        ["--yes"],
        { CURSOR_KEY: Buffer.alloc(32, 1).toString("base64url") },
        [],
        /CURSOR_KEY: a deployment's keys are made by/,
      ],
      [
        ["--yes"],
        {},
        stackIn("ROLLBACK_COMPLETE"),
        /first deploy of spring has not come to its end.*npm run teardown -- --stage spring --region eu-central-1/,
      ],
      [["--yes"], {}, stackIn("REVIEW_IN_PROGRESS"), /\(REVIEW_IN_PROGRESS\): remove it by npm run teardown/],
      [["--yes"], {}, stackIn("DELETE_FAILED"), /\(DELETE_FAILED\): remove it by npm run teardown/],
      [["--yes"], {}, stackIn("UPDATE_ROLLBACK_FAILED"), /is stuck \(UPDATE_ROLLBACK_FAILED\)/],
      [["--yes"], {}, stackIn("DELETE_IN_PROGRESS"), /under way with the stage spring already/],
    ];
    for (const [args, given, first, why] of wrong) {
      more = first;
      const { code, said } = await deploy(args, given);
      const last = said.split("\n").at(-1);
      expect(last, said).toMatch(why);
      expect(code, said).toBe(1);
    }
    expect(changes()).toEqual([]);
  });
});
