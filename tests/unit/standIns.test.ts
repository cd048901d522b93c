/**
 * The stand-ins for AWS, called by AWS's own clients: each refuses what the service refuses. What a deploy of the template
 * can meet is in tests/deployment.
 */
import {
  CloudFormationClient,
  CreateChangeSetCommand,
  DescribeStackEventsCommand,
  ExecuteChangeSetCommand,
} from "@aws-sdk/client-cloudformation";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeEach, describe, expect, it } from "vitest";
import { withRemedies } from "../../scripts/deploy/advice.ts";
import type { Input } from "../support/fakeAws.ts";
import { cloudFormationResponses, successfulChanges } from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { stackResponses, tableResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { memoryQueue } from "../support/queue.ts";

const { aws, deployment } = useFakeDeployment();
const NAME = "club";

beforeEach(() => {
  aws.respond([
    ...cloudFormationResponses(deployment, successfulChanges()),
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

const createSet = (template: Input, { StackName = NAME, ...given }: Input = {}) => {
  const set = { StackName, ChangeSetName: "set", TemplateBody: JSON.stringify(template), ...given };
  const command = { ChangeSetType: "CREATE" as const, Capabilities: ["CAPABILITY_IAM" as const], ...set };
  return cloudFormation().send(new CreateChangeSetCommand(command));
};
/** Creates a stack. @returns its state, and what failed */
const deploy = async (template: Input, StackName = NAME) => {
  await createSet(template, { StackName });
  await cloudFormation().send(new ExecuteChangeSetCommand({ StackName, ChangeSetName: "set" }));
  const { StackEvents = [] } = await cloudFormation().send(new DescribeStackEventsCommand({ StackName }));
  const reasons = StackEvents.flatMap(({ ResourceStatusReason: reason = [] }) => reason);
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

  it("an export and a name that another stack has", async () => {
    const Outputs = { Url: { Value: "x", Export: { Name: "club-url" } } };
    await deploy({ ...QUEUE, Outputs });
    const other = of({ Queue: queue("other") }, { Outputs });
    const { status, reasons } = await deploy(other, "second");
    expect(status).toBe("ROLLBACK_COMPLETE");
    expect(reasons).toContain("Export with name club-url is already exported by stack club");
    expect(withRemedies(reasons)).toContain("Remove that stack, or deploy under another stage.");
    const taken = await deploy(QUEUE, "third");
    expect(taken.reasons).toContain("q already exists");
  });
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
