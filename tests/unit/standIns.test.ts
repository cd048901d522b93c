/** The stand-ins for AWS, called by AWS's own clients: each refuses what the service refuses. */
import {
  CloudFormationClient,
  CreateChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStackEventsCommand,
  ExecuteChangeSetCommand,
  ValidateTemplateCommand,
} from "@aws-sdk/client-cloudformation";
import { paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeEach, describe, expect, it } from "vitest";
import { withRemedies } from "../../scripts/deploy/advice.ts";
import type { Input } from "../support/fakeAws.ts";
import { cloudFormationResponses, successfulChanges } from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { stackResponses, useFakeDeployment } from "../support/fakeStack.ts";

const { aws, deployment } = useFakeDeployment();
const NAME = "club";

beforeEach(() => {
  aws.respond([
    ...cloudFormationResponses(deployment, successfulChanges()),
    ...stackResponses(deployment),
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
const deploy = async (template: Input, StackName = NAME) => {
  await createSet(template, { StackName });
  await cloudFormation().send(new ExecuteChangeSetCommand({ StackName, ChangeSetName: "set" }));
  const { StackEvents = [] } = await cloudFormation().send(new DescribeStackEventsCommand({ StackName }));
  const reasons = StackEvents.flatMap(({ ResourceStatusReason: reason }) =>
    reason === undefined ? [] : [reason],
  );
  return { status: deployment.stacks.get(StackName)?.status, reasons };
};

const queue = (QueueName: string) => ({ Type: "AWS::SQS::Queue", Properties: { QueueName } });
const of = (Resources: Input, more: Input = {}) => ({ Resources, ...more });

describe("CloudFormation refuses", () => {
  it.each<[string, Input, RegExp, Input?]>([
    [
      "an unknown type",
      of({ Queue: { Type: "AWS::SQS::Queues" } }),
      /Unrecognized resource types: \[AWS::SQS::Queues\]/,
    ],
    [
      "a body above 51,200 bytes",
      of({ Queue: queue("q") }, { Description: "a".repeat(51_200) }),
      /length less than or equal to 51200/,
    ],
    [
      "more than 500 resources",
      of(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`Q${n}`, { Type: "AWS::SQS::Queue" }]))),
      /Number of resources, 501, is greater than maximum allowed, 500/,
    ],
    [
      "a named role without its capability",
      of({ Role: { Type: "AWS::IAM::Role", Properties: { RoleName: "r" } } }),
      /\[CAPABILITY_NAMED_IAM\]/,
    ],
    [
      "an update of a stack that does not exist",
      of({ Queue: queue("q") }),
      /Stack \[club\] does not exist/,
      { ChangeSetType: "UPDATE" },
    ],
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
    const template = of({ Queue: queue("q") });
    await expect(createSet(template)).rejects.toThrow(`is in ${status} state and can not be updated`);
    const again = createSet(template, { ChangeSetType: "CREATE" });
    if (status === "REVIEW_IN_PROGRESS") await again;
    else await expect(again).rejects.toThrow("already exists and cannot be created again");
  });

  it("a change set without changes, and its execution", async () => {
    const template = of({ Queue: queue("q") });
    await deploy(template);
    const set = await createSet(template);
    expect(set).toMatchObject({
      Status: "FAILED",
      StatusReason: expect.stringContaining("didn't contain changes"),
    });
    const execute = new ExecuteChangeSetCommand({ StackName: NAME, ChangeSetName: "set" });
    await expect(cloudFormation().send(execute)).rejects.toThrow("cannot be executed");
  });

  it("an export and a name that another stack has", async () => {
    const Outputs = { Url: { Value: "x", Export: { Name: "club-url" } } };
    await deploy(of({ Queue: queue("q") }, { Outputs }));
    const { status, reasons } = await deploy(of({ Queue: queue("other") }, { Outputs }), "second");
    expect(status).toBe("ROLLBACK_COMPLETE");
    expect(reasons).toContain("Export with name club-url is already exported by stack club");
    expect(withRemedies(reasons)).toContain("Remove that stack, or deploy under another stage.");
    const taken = await deploy(of({ Queue: queue("q") }), "third");
    expect(taken.reasons).toContain("q already exists");
  });

  it("to delete a protected table, and the update goes on without it", async () => {
    const Properties = {
      ...{ TableName: "game", KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }] },
      DeletionProtectionEnabled: true,
    };
    await deploy(of({ Table: { Type: "AWS::DynamoDB::Table", Properties }, Queue: queue("q") }));
    const { status, reasons } = await deploy(of({ Queue: queue("q") }));
    expect(status).toBe("UPDATE_COMPLETE");
    expect(reasons).toContainEqual(expect.stringContaining("while DeletionProtectionEnabled is set"));
    expect([...deployment.tables.keys()]).toEqual(["game"]);
  });
});

it("S3 sends lists in pages, in the order of bytes", async () => {
  const client = new S3Client(configuration());
  deployment.buckets.createBucket("files");
  // A language sorts them differently.
  const names = Array.from(
    { length: 90 },
    (_, n) => `${n % 2 === 0 ? "B" : "a"}${n % 3 === 0 ? "_" : "-"}${n}`,
  );
  for (const name of names) deployment.buckets.putObject("files", name, Buffer.from("x"));
  const pages: (string | undefined)[][] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: "files" }))
    pages.push(Contents.map(({ Key }) => Key));
  expect(pages).toHaveLength(3);
  expect(pages.flat()).toEqual(names.toSorted((one, other) => (one < other ? -1 : 1)));
});

it("Systems Manager refuses a value above 4 KB", async () => {
  const put = (length: number) =>
    new SSMClient(configuration()).send(
      new PutParameterCommand({ Name: "p", Type: "SecureString", Value: "a".repeat(length) }),
    );
  await put(4_096);
  await expect(put(4_097)).rejects.toThrow("maximum parameter value of 4096");
});
