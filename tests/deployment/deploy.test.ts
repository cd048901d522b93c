/**
 * `npm run deploy` and what comes of it, with the framework at work on a cloud that carries out its templates: how the
 * first deploy goes, the second, one that fails, one that is cut off, and two at once.
 */
import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { type Answers, type Cloud, CloudFault, type Input, startCloud } from "../support/cloud.ts";
import { ROOT } from "../support/endpoints.ts";
import { answersOfCloudFormation, type Changing } from "../support/fakeCloudFormation.ts";
import { answersOfS3, type Buckets } from "../support/fakeS3.ts";
import { answersOf, type Deployment, noDeployment } from "../support/fakeStack.ts";
import { runScript } from "../support/runScript.ts";

let deployment: Deployment;
let buckets: Buckets;
let changing: Changing;
/** Tables that there are, and whether something lies in them. */
let tables: Map<string, { isEmpty: boolean }>;
let cloud: Cloud;
let more: Answers;

const answersOfTables = (): Answers => {
  const known = (name: string): { isEmpty: boolean } => {
    const found = tables.get(name);
    if (found === undefined) throw new CloudFault("ResourceNotFoundException", `no ${name}`);
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
  deployment = noDeployment();
  buckets = new Map();
  changing = { failing: new Map(), isStuck: false, isSlow: false };
  tables = new Map();
  more = [];
  const stacks = answersOfCloudFormation(deployment, buckets, changing);
  cloud = await startCloud(() => [
    ...more,
    ...stacks,
    ...answersOf(deployment),
    ...answersOfTables(),
    ...answersOfS3(buckets),
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
  runScript(["scripts/deploy.ts", "--stage", "spring", ...args], settings(given));

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

const changes = (): string[] =>
  cloud.asked
    .map(({ what }) => what)
    .filter((what) => /PutParameter|ChangeSet|DeleteStack|UpdateTable|DeleteTable|s3 (PUT|POST)/.test(what));

describe("npm run deploy", () => {
  it("makes everything the first time, and says what is next", async () => {
    const { code, said } = await deploy(["--yes"]);
    expect(code, said).toBe(0);
    const { status, resources = {} } = deployment.stacks.get("zombie-game-spring") ?? { status: "" };
    expect(status).toBe("UPDATE_COMPLETE");
    const types = Object.values(resources).map(([type]) => type);
    expect(types.filter((type) => type === "AWS::Lambda::Function").length).toBeGreaterThanOrEqual(49);
    expect(resources.Table).toEqual(["AWS::DynamoDB::Table", "zombie-game-spring"]);
    expect(said).toContain("zombie-game-spring answers at https://api.example");
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
    expect(uploaded).toHaveLength(49);

    first = structuredClone({ deployment, buckets });

    // The second time, keys and table stay.
    const before = structuredClone(deployment.parameters);
    const again = await deploy(["--yes"]);
    expect(again.code, again.said).toBe(0);
    expect(again.said).toContain("It is there already");
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
    expect(deployment).toEqual(noDeployment());
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

  it("that is cut off says how it goes on, and a second one waits for that", async () => {
    await deployedOnce();
    changing.isStuck = true;
    const child = spawn(process.execPath, ["scripts/deploy.ts", "--stage", "spring", "--yes"], {
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
    const stackIn = (status: string): Answers => [
      [
        "cloudformation DescribeStacks",
        () => ({
          Stacks: [{ StackName: "zombie-game-spring", StackStatus: status, CreationTime: new Date(0) }],
        }),
      ],
    ];
    const wrong: [string[], Record<string, string>, Answers, RegExp][] = [
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
