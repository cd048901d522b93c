/** `npm run deploy` with the real framework, against a fake AWS that executes its templates. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { requireDeployable } from "../../scripts/cloud/stack.ts";
import { stageOf } from "../../scripts/cloud/stage.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { CHANGED, COMMAND, NAME, QUOTA_REQUEST, useDeploys } from "../support/deployRuns.ts";
import { contentOf, pathsIn } from "../support/fakeS3.ts";
import { expectError, expectSuccess, runScript } from "../support/runScript.ts";
import { declareJoinCode } from "./deploy/joinCode.ts";
import { declareRefusals } from "./deploy/refusals.ts";
import { declareStory } from "./deploy/story.ts";

// One file has all of these, because the framework builds all packages in the same folder.
const deploys = useDeploys();
const { aws, deployment, state, deploy, settings, running, writes } = deploys;
const { tables } = deployment;

/** The settings and the limit of an account that nobody has set up, for which the framework packages once. */
const BARE = { VAPID_SUBJECT: "", ALLOWED_ORIGINS: "" };
const LOW_LIMIT = 10;

/** The concurrency of the queue's worker in the last uploaded template. */
const deliverConcurrency = (): number =>
  deploys.uploaded().Resources.DeliverEventSourceMappingSQSQueue.Properties.ScalingConfig.MaximumConcurrency;

describe("what a person sees", () => declareStory(deploys));
describe("what AWS refuses", () => declareRefusals(deploys));

describe("JOIN_CODE", () => declareJoinCode(deploys));

describe("npm run deploy", () => {
  it("creates everything, reports that logins do not work, goes back one deployment at a time, and deploys again from there", async () => {
    const CERTIFICATE_ARN = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
    const output = expectSuccess(await deploy(["--yes"], { DOMAIN: "api.hvz.example", CERTIFICATE_ARN }));
    expect(deployment.stacks.get(NAME)?.status).toBe("UPDATE_COMPLETE");
    expect(deployment.stacks.get(NAME)?.resources?.Table).toEqual(["AWS::DynamoDB::Table", NAME]);
    for (const line of [
      `${NAME} is available at https://api.hvz.example and at ${deploys.apiUrl()}`,
      /DNS record of the domain: +api\.hvz\.example CNAME d-1\.execute-api\.example/,
      "npm run doctor -- --stage spring --region eu-central-1",
      /^Become the game master: +http\S+\/app\/setup#[\w-]{22}$/m,
    ])
      expect(output).toMatch(line);
    const address =
      /^Note: https:\/\/api\.hvz\.example does not lead to this deployment yet, so API Gateway's/;
    expect(output.match(/^Note:.*/gm)).toEqual([expect.stringMatching(address)]);

    // The keys are SecureStrings, and are in no output and no upload.
    const keys = structuredClone(deployment.parameters);
    expect([...keys].map(([name, { type }]) => [name, type])).toEqual([
      ["/zombie-game/spring/cursor-keys", "SecureString"],
      ["/zombie-game/spring/vapid-keys", "SecureString"],
    ]);
    const secrets = [...keys].flatMap(([, { value }]) => [
      ...value.matchAll(/"(?:key|private_key)":"([\w-]{40,})"/g),
    ]);
    expect(secrets).toHaveLength(2);
    for (const [, secret = ""] of secrets) {
      expect(output).not.toContain(secret);
      for (const path of pathsIn(deployment.buckets))
        expect(contentOf(deployment.buckets, path)?.includes(secret), path).toBe(false);
    }
    const zips = pathsIn(deployment.buckets).filter((path) => path.endsWith(".zip"));
    expect(zips).toHaveLength(listedFunctions().length);
    expect(deliverConcurrency()).toBe(5);

    const first = running();
    const rollBack = (...args: string[]) => deploy(["--rollback", ...args]);
    const none = /^No earlier deployment of spring that has run is stored\./;
    expectError(await rollBack("--yes"), none);
    state.replies = [500];
    const { code, output: failed } = await deploy(["--yes"], CHANGED);
    expect(code).toBe(1);
    for (const line of [
      "It is already deployed",
      "Credentials: arn:aws:iam::123456789012:user/club, from AWS_ACCESS_KEY_ID",
      "The new version is deployed, but logins do not work.",
      "npm run logs -- --stage spring --region eu-central-1 --function login --since 5m",
      "To go back: npm run deploy -- --stage spring --region eu-central-1 --rollback",
    ])
      expect(failed).toContain(line);
    expect(failed).not.toContain("is available at");
    expect(deployment.stacks.get(NAME)?.resources).not.toHaveProperty("Domain");
    state.replies = [401];
    // The new deployment keeps the pages of the first for browsers that have them open.
    const pages = `/${NAME}-bucket/serverless/zombie-game/spring/${first.folder}/app.zip`;
    expect(deploys.earlierPages()).toEqual(contentOf(deployment.buckets, pages));
    const second = running();
    expect(second).toMatchObject({ feedingPeriod: "3600" });
    // The framework ends while CloudFormation is still rolling back.
    state.changes.failing.set("SweepLambdaFunction", "Out of stock");
    state.changes.isRollbackStuck = true;
    const early = await deploy();
    expect(early.code, early.output).toBe(1);
    expect(early.output).toContain("The deploy has failed:\n  SweepLambdaFunction: Out of stock");
    expect(early.output).toContain("CloudFormation continues on AWS (UPDATE_ROLLBACK_IN_PROGRESS)");
    expect(early.output).not.toContain("Retrying");
    state.changes.failing.clear();
    const stack = deployment.stacks.get(NAME);
    deployment.stacks.set(NAME, { ...stack, status: "UPDATE_ROLLBACK_COMPLETE" });
    expectSuccess(await deploy(), `${NAME} is available at ${deploys.apiUrl()}`);

    const before = writes().length;
    const dry = expectSuccess(await rollBack("--dry-run"), "Nothing has been changed.");
    expect(dry).toContain("These settings get their earlier values: FEEDING_PERIOD_SECONDS.");
    expect(dry).toContain("Not rolled back: the game with everything that was stored since, the keys");
    expect(dry).not.toContain("The table's definition");
    expect((await rollBack()).output).toContain("Give --yes to roll back spring without a prompt.");
    expect(writes()).toHaveLength(before);
    // Of three deployments to the second, and from there to the first; the failed one never ran.
    const back = expectSuccess(await rollBack("--yes"), "Passwords are hashed with Argon2id");
    expect(back).toContain(
      `runs the deployment of ${second.folder?.slice(second.folder.indexOf("-") + 1)} again`,
    );
    expect(running()).toEqual(second);
    state.replies = [500];
    const broken = await rollBack("--yes");
    expect(broken.output).toContain("The earlier version is deployed, but logins do not work.");
    expect(running()).toEqual(first);
    expect(deployment.parameters).toEqual(keys);
    expectError(await rollBack("--yes"), none);

    // Otherwise the framework would skip the version that was rolled back, whose files are the latest.
    state.replies = [401];
    aws.requests.length = 0;
    expectSuccess(await deploy());
    expect([first.folder, second.folder]).not.toContain(running().folder);
    expect(aws.requests.filter(({ action }) => /^s3 HEAD .*\.zip/.test(action))).toEqual([]);
  });

  it("is retried once when AWS throttled requests, and adapts to the account's limit", async () => {
    state.concurrency = LOW_LIMIT;
    const requested = () => aws.requests.filter(({ action }) => action === QUOTA_REQUEST);
    // A resource of the nested stack.
    state.changes.failing.set("DeliverRole", "Rate exceeded (Service: Iam, Status Code: 400)");
    const failed = await deploy(["--yes", "--request-concurrency"], BARE);
    expect(failed.code).toBe(1);
    expect(failed.output).toMatch(/The request for a limit of 1000 is PENDING\. AWS may take days\./);
    expect(requested()).toMatchObject([{ input: { QuotaCode: "L-B99A9384", DesiredValue: 1_000 } }]);
    expect(failed.output.match(/Retrying the deploy\./g)).toHaveLength(1);
    expect(failed.output).toContain("The deploy has failed:\n  DeliverRole: Rate exceeded");
    expect(failed.output).toContain("Wait a few minutes and deploy again.");

    // The API and its permissions become available with a delay.
    state.replies = [null, 500, 401];
    state.changes.failing.clear();
    state.changes.failing.set(
      "HttpApiRoutePostNew",
      "Too Many Requests (Service: ApiGatewayV2, Status Code: 429, Error Code: TooManyRequestsException)",
    );
    let tablesAfterRollback: string[] = [];
    state.changes.onFailed = () => {
      state.changes.failing.clear();
      tablesAfterRollback = [...tables.keys()];
    };
    const output = expectSuccess(await deploy(["--yes"], BARE));
    expect(output).toMatch(/AWS throttled requests:\n {2}HttpApiRoutePostNew: Too Many Requests/);
    // A rollback retains the table.
    expect(tablesAfterRollback).toEqual([NAME]);
    // First the one that the failed deploy has left.
    expect(output.match(/^The empty table .* has been removed\.$/gm)).toHaveLength(2);
    expect(output).toContain("Retrying the deploy.");
    expect(output).toContain("Passwords are hashed with Argon2id by Lambda's Node.js");
    expect(state.apiRequests).toBe(3);
    expect(deliverConcurrency()).toBe(2);
    expect(output).toContain(
      "10 functions may run concurrently in this account and region; the queue's worker uses up to 2",
    );
    expect(output).toMatch(/Note: A limit of 10 is too low.*--quota-code L-B99A9384 --desired-value 1000/);
    expect(requested()).toHaveLength(1);
  });

  it("allows one deploy per folder and per stack, and explains an interrupted one", async () => {
    state.changes.isStuck = true;
    let isOver = false;
    const stuck = deploy().finally(() => {
      isOver = true;
    });
    const status = () => deployment.stacks.get(NAME)?.status;
    while (status() !== "CREATE_IN_PROGRESS" && !isOver) await sleep(20);
    const other = await runScript([...COMMAND, "--yes"], settings());
    expectError(other, "Another deploy is running from this folder");
    process.kill(process.pid, "SIGINT");
    const { code, output } = await stuck;
    expect(code, output).toBe(1);
    expect(output).toContain("Interrupted. CloudFormation continues on AWS (CREATE_IN_PROGRESS)");
    const before = writes().length;
    expectError(await deploy(), /^The stage spring is being changed \(CREATE_IN_PROGRESS since/);
    expect(writes()).toHaveLength(before);
  });

  it("removes no table with a game, and nothing in a dry run", async () => {
    tables.set(NAME, [{ pk: { S: "GAME" } }]);
    const { code, output } = await deploy();
    expect(code, output).toBe(1);
    expect(output).toContain("still exists and contains a game");
    tables.set(NAME, []);
    state.concurrency = LOW_LIMIT;
    const dry = expectSuccess(await deploy(["--dry-run"], BARE));
    for (const line of [
      ...["Nothing is deployed yet", "is empty. It would be removed first", "A cursor key would be created"],
      /Note: VAPID_SUBJECT is mailto:game-master@localhost.*iPhones/,
      ...[/Note: ALLOWED_ORIGINS is \*/, "Nothing has been changed on AWS"],
    ])
      expect(dry).toMatch(line);
    expect(tables.size).toBe(1);
    expect(writes()).toEqual([]);
    expect(deployment.stacks.size + deployment.parameters.size).toBe(0);
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
    const { code, output } = await deploy(args, given);
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
