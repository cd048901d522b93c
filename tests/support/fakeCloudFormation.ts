/**
 * A fake CloudFormation that executes change sets and refuses what CloudFormation and the services refuse. Tests can
 * make resources fail and changes hang. The id of a stack is its name.
 */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Template } from "../../scripts/deploy/template.ts";
import { AwsError, byAction, type Input, type Responses } from "./fakeAws.ts";
import { contentOf } from "./fakeS3.ts";
import { type Deployment, pageOf, type Stack } from "./fakeStack.ts";
import { makeChanger, type StackState } from "./fakeStackChange.ts";
import { missingCapability, parseTemplate, requireKnownTypes, requireValid } from "./fakeTemplate.ts";

/** Changes that succeed, until a test sets something else. @param url the URL of the API */
export const successfulChanges = (url = "https://api.example") => ({
  /** Failures by the logical id of the resource. */
  failing: new Map<string, string>(),
  /** Whether changes start but never end. */
  isStuck: false,
  /** Whether a rollback never ends. */
  isRollbackStuck: false,
  /** Called when a change has failed and the rollback has started. */
  onFailed: () => {},
  url,
});
export type ChangeOptions = ReturnType<typeof successfulChanges>;

/** The states in which a stack can be updated. */
const UPDATABLE = new Set(["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"]);

const invalid = (message: string): AwsError => new AwsError("ValidationError", message);

const NO_CHANGES =
  "The submitted information didn't contain changes. Submit different information to create a change set.";

interface ChangeSet {
  type: string;
  template: Template;
  capabilities: string[];
  isEmpty: boolean;
}

/** Responses for stacks, which requests may change. */
export const cloudFormationResponses = (deployment: Deployment, changing: ChangeOptions): Responses => {
  const { stacks, buckets } = deployment;
  const events = new Map<string, object[]>();
  const sets = new Map<string, ChangeSet>();
  const states = new Map<string, StackState>();

  const addEvent = (StackName: string, event: Record<string, string>): void => {
    const before = events.get(StackName) ?? [];
    const added = { ...event, EventId: randomUUID(), StackName, StackId: StackName, Timestamp: new Date() };
    events.set(StackName, [added, ...before]);
  };
  const setStatus = (name: string, status: string, reason?: string): void => {
    const { reason: _, ...stack }: Stack = stacks.get(name) ?? { status };
    stacks.set(name, { ...stack, status, ...(reason === undefined ? {} : { reason }) });
    addEvent(name, {
      ...{ LogicalResourceId: name, PhysicalResourceId: name, ResourceStatus: status },
      ...{ ResourceType: "AWS::CloudFormation::Stack" },
      ...(reason === undefined ? {} : { ResourceStatusReason: reason }),
    });
  };
  const templateAt = (url: string): Template => {
    // With the bucket in the path, as the framework names it, or in the host.
    const { hostname, pathname } = new URL(url);
    const [, bucket] = /^(.+)\.s3\./.exec(hostname) ?? [];
    const path = decodeURIComponent(bucket === undefined ? pathname : `/${bucket}${pathname}`);
    const found = contentOf(buckets, path);
    if (found === undefined) throw invalid(`S3 error: The specified key does not exist: ${path}`);
    return parseTemplate(found.toString(), "stored");
  };
  const templateOf = ({ TemplateURL, TemplateBody }: Input): Template =>
    TemplateBody === undefined ? templateAt(TemplateURL) : parseTemplate(TemplateBody, "body");
  const { execute, remove } = makeChanger({ deployment, changing, states, templateAt, addEvent, setStatus });

  const requireState = (name: string, type: string, set: string): void => {
    const now = stacks.get(name)?.status;
    if (type === "CREATE") {
      if (now === undefined || now === "REVIEW_IN_PROGRESS") return;
      throw invalid(
        `Stack [${name}] already exists and cannot be created again with the changeSet [${set}].`,
      );
    }
    if (now === undefined) throw invalid(`Stack [${name}] does not exist`);
    if (!UPDATABLE.has(now)) throw invalid(`Stack:${name} is in ${now} state and can not be updated.`);
  };
  const functionNames = (): string[] =>
    [...stacks.values()].flatMap(({ resources = {} }) =>
      Object.values(resources).flatMap(([type, id]) => (type === "AWS::Lambda::Function" ? [id] : [])),
    );

  return [
    ...byAction({
      "cloudformation ValidateTemplate": (input) => {
        const template = templateOf(input);
        requireValid(template);
        return { Capabilities: missingCapability(template, []) === null ? [] : ["CAPABILITY_IAM"] };
      },
      "cloudformation CreateChangeSet": (input) => {
        const { StackName, ChangeSetName, ChangeSetType: type } = input;
        requireState(StackName, type, ChangeSetName);
        if (sets.has(`${StackName} ${ChangeSetName}`))
          throw new AwsError("AlreadyExistsException", `ChangeSet ${ChangeSetName} already exists`);
        const template = templateOf(input);
        requireValid(template);
        requireKnownTypes(template);
        const capabilities = Object.entries<string>(input).flatMap(([name, value]) =>
          name.startsWith("Capabilities.member.") ? [value] : [],
        );
        const missing = missingCapability(template, capabilities);
        if (missing !== null)
          throw new AwsError("InsufficientCapabilitiesException", `Requires capabilities : [${missing}]`);
        const isEmpty = type === "UPDATE" && isDeepStrictEqual(stacks.get(StackName)?.template, template);
        sets.set(`${StackName} ${ChangeSetName}`, { type, template, capabilities, isEmpty });
        if (type === "CREATE") stacks.set(StackName, { status: "REVIEW_IN_PROGRESS" });
        return { Id: "set", StackId: StackName };
      },
      "cloudformation DescribeChangeSet": ({ StackName, ChangeSetName }) => {
        const set = sets.get(`${StackName} ${ChangeSetName}`);
        if (set === undefined) throw new AwsError("ChangeSetNotFound", "no change set");
        const names = { StackName, ChangeSetName, StackId: StackName, ChangeSetId: "set" };
        if (set.isEmpty)
          return { ...names, Status: "FAILED", StatusReason: NO_CHANGES, ExecutionStatus: "UNAVAILABLE" };
        const Changes = Object.keys(set.template.Resources).map((LogicalResourceId) => ({
          ...{ Type: "Resource", ResourceChange: { Action: "Modify", LogicalResourceId } },
        }));
        return { ...names, Status: "CREATE_COMPLETE", ExecutionStatus: "AVAILABLE", Changes };
      },
      "cloudformation ExecuteChangeSet": async ({ StackName, ChangeSetName }) => {
        const set = sets.get(`${StackName} ${ChangeSetName}`);
        if (set === undefined) throw new AwsError("ChangeSetNotFound", "no change set");
        if (set.isEmpty)
          throw new AwsError(
            "InvalidChangeSetStatus",
            `${ChangeSetName} cannot be executed in its current status of [FAILED]`,
          );
        requireState(StackName, set.type, ChangeSetName);
        sets.delete(`${StackName} ${ChangeSetName}`);
        await execute(StackName, set.type === "CREATE", set.template, set.capabilities);
      },
      "cloudformation DeleteChangeSet": ({ StackName, ChangeSetName }) => {
        sets.delete(`${StackName} ${ChangeSetName}`);
      },
      "cloudformation DescribeStackEvents": ({ StackName, NextToken }) => {
        const all = events.get(StackName);
        if (all === undefined) throw invalid(`Stack [${StackName}] does not exist`);
        const { page, ...next } = pageOf(all, NextToken);
        return { StackEvents: page, ...next };
      },
      "cloudformation DescribeStackResource": ({ StackName, LogicalResourceId }) => {
        const [type, id] = stacks.get(StackName)?.resources?.[LogicalResourceId] ?? [];
        if (id === undefined)
          throw invalid(`Resource ${LogicalResourceId} does not exist for stack ${StackName}`);
        return {
          StackResourceDetail: {
            ...{ StackName, LogicalResourceId, PhysicalResourceId: id, ResourceType: type },
            ...{ ResourceStatus: "CREATE_COMPLETE", LastUpdatedTimestamp: new Date() },
          },
        };
      },
      "cloudformation DeleteStack": ({ StackName }) => {
        const now = stacks.get(StackName)?.status;
        // Deleting what does not exist succeeds.
        if (now === undefined) return;
        if (now.startsWith("UPDATE_") && now.endsWith("_IN_PROGRESS"))
          throw invalid(`Stack [${StackName}] cannot be deleted while in status ${now}`);
        remove(StackName);
        if (!stacks.has(StackName)) events.delete(StackName);
      },
    }),
    [
      /^lambda GET \/2015-03-31\/functions\/[\w-]+$/,
      (_, { action }) => {
        const name = action.split("/").at(-1) ?? "";
        if (!functionNames().includes(name))
          throw new AwsError("ResourceNotFoundException", `Function not found: ${name}`, 404);
        return { Configuration: { FunctionName: name, LastModified: new Date().toISOString() } };
      },
    ],
  ];
};
