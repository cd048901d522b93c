/**
 * The stand-ins for AWS, called by AWS's own clients: each refuses what the service refuses. What a deploy of the template
 * can meet is in tests/deployment.
 */
import {
  CloudFormationClient,
  CreateChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStackEventsCommand,
  ExecuteChangeSetCommand,
  ListStackResourcesCommand,
  ValidateTemplateCommand,
} from "@aws-sdk/client-cloudformation";
import { paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeEach, describe, expect, it } from "vitest";
import { withRemedies } from "../../scripts/deploy/advice.ts";
import type { Input } from "../support/fakeAws.ts";
import {
  type ChangeOptions,
  cloudFormationResponses,
  successfulChanges,
} from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { stackResponses, tableResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { memoryQueue } from "../support/queue.ts";

const { aws, deployment } = useFakeDeployment();
const NAME = "club";
let changes: ChangeOptions;

beforeEach(() => {
  changes = successfulChanges();
  aws.respond([
    ...cloudFormationResponses(deployment, changes),
    ...stackResponses(deployment),
    ...tableResponses(deployment),
    ...s3Responses(deployment.buckets),
  ]);
});

const configuration = () => ({
  ...{ region: "eu-central-1", endpoint: aws.settings.AWS_ENDPOINT_URL ?? "", maxAttempts: 1 },
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});
const cloudFormation = () => new CloudFormationClient(configuration());

/** Creates a change set. @returns its description */
const createSet = async (template: Input, more: Input = {}) => {
  const { StackName = NAME, ...given } = more;
  const ChangeSetType = deployment.stacks.has(StackName) ? "UPDATE" : "CREATE";
  const TemplateBody = JSON.stringify(template);
  const Capabilities = ["CAPABILITY_IAM" as const];
  const set = { StackName, ChangeSetName: "set" };
  await cloudFormation().send(
    new CreateChangeSetCommand({ ...set, ChangeSetType, TemplateBody, Capabilities, ...given }),
  );
  return cloudFormation().send(new DescribeChangeSetCommand(set));
};
/** Deploys a template. @returns the state of the stack, and what failed */
const deploy = async (template: Input, more: Input = {}) => {
  const StackName = more.StackName ?? NAME;
  await createSet(template, more);
  await cloudFormation().send(new ExecuteChangeSetCommand({ StackName, ChangeSetName: "set" }));
  return outcome(StackName);
};
const outcome = async (StackName: string) => {
  const { StackEvents = [] } = await cloudFormation().send(new DescribeStackEventsCommand({ StackName }));
  const reasons = StackEvents.flatMap(({ ResourceStatusReason: reason }) =>
    reason === undefined ? [] : [reason],
  );
  return { status: deployment.stacks.get(StackName)?.status, reasons };
};

const queue = (QueueName: string, more: Input = {}) => ({
  ...{ Type: "AWS::SQS::Queue", Properties: { QueueName }, ...more },
});
const of = (Resources: Input, more: Input = {}) => ({ Resources, ...more });
const QUEUE = of({ Queue: queue("q") });
const BIG = { Conditions: { IsBig: { "Fn::Equals": ["a", "b"] } } };
const NAMED = { AssumeRolePolicyDocument: { Statement: [] }, RoleName: "r" };
const numbered = (count: number) => Array.from({ length: count }, (_, n) => [`Q${n}`, queue(`q${n}`)]);

describe("CloudFormation refuses", () => {
  it.each<[string, Input, RegExp, Input?]>([
    [
      "what exists only under another condition",
      of({ Queue: queue("q", { Condition: "IsBig" }), Other: queue("o", { DependsOn: "Queue" }) }, BIG),
      /Other: DependsOn names Queue, which exists only if IsBig/,
    ],
    ["an unknown type", of({ Queue: { Type: "AWS::SQS::Queues" } }), /Unrecognized resource types: \[AWS/],
    ["a body above 51,200 bytes", { ...QUEUE, Description: "a".repeat(51_200) }, /length .* equal to 51200/],
    ["more than 500 resources", of(Object.fromEntries(numbered(501))), /501, is greater than .* 500/],
    [
      "a named role without its capability",
      of({ Role: { Type: "AWS::IAM::Role", Properties: NAMED } }),
      /\[CAPABILITY_NAMED_IAM\]/,
    ],
    ["an update of no stack", QUEUE, /Stack \[club\] does not exist/, { ChangeSetType: "UPDATE" }],
  ])("%s", async (_, template, message, more) => {
    await expect(createSet(template, more)).rejects.toThrow(message);
    expect(deployment.stacks.size).toBe(0);
  });

  it("a stored template above 1 MB", async () => {
    deployment.buckets.createBucket("templates");
    deployment.buckets.putObject(
      "templates",
      "t.json",
      Buffer.from(`{"Resources":{},"a":"${"a".repeat(1e6)}"}`),
    );
    const TemplateURL = "https://s3.eu-central-1.amazonaws.com/templates/t.json";
    const validate = new ValidateTemplateCommand({ TemplateURL });
    await expect(cloudFormation().send(validate)).rejects.toThrow("Template may not exceed 1000000 bytes");
  });

  it.each([
    "ROLLBACK_COMPLETE",
    "CREATE_FAILED",
    "UPDATE_IN_PROGRESS",
    "UPDATE_ROLLBACK_FAILED",
    "REVIEW_IN_PROGRESS",
  ])("an update of a stack in %s, and its creation if it exists", async (status) => {
    deployment.stacks.set(NAME, { status });
    await expect(createSet(QUEUE)).rejects.toThrow(`is in ${status} state and can not be updated`);
    const again = createSet(QUEUE, { ChangeSetType: "CREATE" });
    if (status === "REVIEW_IN_PROGRESS") await again;
    else await expect(again).rejects.toThrow("already exists and cannot be created again");
  });

  it("a change set without changes, and its execution", async () => {
    await deploy(QUEUE);
    const StatusReason = expect.stringContaining("didn't contain changes");
    expect(await createSet(QUEUE)).toMatchObject({ Status: "FAILED", StatusReason });
    const execute = new ExecuteChangeSetCommand({ StackName: NAME, ChangeSetName: "set" });
    await expect(cloudFormation().send(execute)).rejects.toThrow("cannot be executed");
  });

  it("an export and a name that another stack has", async () => {
    const Outputs = { Url: { Value: "x", Export: { Name: "club-url" } } };
    await deploy({ ...QUEUE, Outputs });
    const other = of({ Queue: queue("other") }, { Outputs });
    const { status, reasons } = await deploy(other, { StackName: "second" });
    expect(status).toBe("ROLLBACK_COMPLETE");
    expect(reasons).toContain("Export with name club-url is already exported by stack club");
    expect(withRemedies(reasons)).toContain("Remove that stack, or deploy under another stage.");
    const taken = await deploy(QUEUE, { StackName: "third" });
    expect(taken.reasons).toContain("q already exists");
  });

  it("parameters that the nested template does not have", async () => {
    deployment.buckets.createBucket("templates");
    const nested = of(
      { Queue: { Type: "AWS::SQS::Queue" } },
      { Parameters: { QueueArn: { Type: "String" } } },
    );
    deployment.buckets.putObject("templates", "nested.json", Buffer.from(JSON.stringify(nested)));
    const TemplateURL = "https://templates.s3.eu-central-1.amazonaws.com/nested.json";
    const stack = (Parameters: Input) =>
      of({ Nested: { Type: "AWS::CloudFormation::Stack", Properties: { TemplateURL, Parameters } } });
    const { reasons } = await deploy(stack({ Topic: "t" }));
    expect(reasons).toContainEqual(expect.stringContaining("the parameter Topic is given, but not declared"));
    expect((await deploy(stack({ QueueArn: "q" }), { StackName: "second" })).status).toBe("CREATE_COMPLETE");
  });

  it("to remove a protected table, but removes the rest, and keeps a retained one", async () => {
    const template = (Properties: Input, more: Input = {}) =>
      of({ Table: { Type: "AWS::DynamoDB::Table", Properties, ...more }, Queue: queue("q") });
    const TableName = "game";
    await deploy(template({ TableName, DeletionProtectionEnabled: true }));
    const without = await deploy(QUEUE);
    expect(without.status).toBe("UPDATE_COMPLETE");
    expect(without.reasons).toContainEqual(expect.stringContaining("while DeletionProtectionEnabled is set"));
    expect([...deployment.tables.keys()]).toEqual([TableName]);
    deployment.tables.clear();
    await deploy(template({ TableName }, { DeletionPolicy: "Retain" }), { StackName: "second" });
    await cloudFormation().send(new DeleteStackCommand({ StackName: "second" }));
    expect([...deployment.tables.keys()]).toEqual([TableName]);
  });
});

it("CloudFormation and S3 send long lists in pages, the latter in the order of bytes", async () => {
  await deploy(of(Object.fromEntries(numbered(150))));
  const list = (NextToken?: string) =>
    cloudFormation().send(new ListStackResourcesCommand({ StackName: NAME, NextToken }));
  const first = await list();
  const pages = [first, await list(first.NextToken)];
  expect(pages.map((page) => page.StackResourceSummaries?.length)).toEqual([100, 50]);
  deployment.buckets.createBucket("files");
  // Names that a language sorts differently.
  const names = Array.from(
    { length: 90 },
    (_, n) => `${n % 2 === 0 ? "B" : "a"}${n % 3 === 0 ? "_" : "-"}${n}`,
  );
  for (const name of names) deployment.buckets.putObject("files", name, Buffer.from("x"));
  const found: string[][] = [];
  const objects = paginateListObjectsV2({ client: new S3Client(configuration()) }, { Bucket: "files" });
  for await (const { Contents = [] } of objects) found.push(Contents.map(({ Key = "" }) => Key));
  expect(found).toHaveLength(3);
  expect(found.flat()).toEqual(names.toSorted((one, other) => (one < other ? -1 : 1)));
});

it("Systems Manager refuses a value above 4 KB", async () => {
  const put = (length: number) =>
    new SSMClient(configuration()).send(
      new PutParameterCommand({ Name: "p", Type: "SecureString", Value: "a".repeat(length) }),
    );
  await put(4_096);
  await expect(put(4_097)).rejects.toThrow("maximum parameter value of 4096");
});

it("the queue in memory refuses a batch above 1 MiB, as SQS does", async () => {
  const { queue, inspect } = memoryQueue();
  const batch = (bytes: number) =>
    Array.from({ length: 10 }, () => ({
      message: { kind: "sweep" as const, fencingToken: "a".repeat(bytes) },
    }));
  await queue.send(batch(100_000));
  await expect(queue.send(batch(105_000))).rejects.toThrow(/^BatchRequestTooLong/);
  expect(inspect()).toHaveLength(10);
});
