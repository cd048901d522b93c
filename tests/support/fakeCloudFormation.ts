/** A fake CloudFormation that executes change sets. Tests can make resources fail and changes hang. */
import { randomUUID } from "node:crypto";
import { AwsError, byAction, type Input, type Responses } from "./fakeAws.ts";
import type { Deployment } from "./fakeStack.ts";

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

const NAMES: Record<string, (name: string, properties: Input) => string> = {
  "AWS::S3::Bucket": (name) => `${name}-bucket`,
  "AWS::DynamoDB::Table": (_, { TableName }) => TableName,
  "AWS::Lambda::Function": (_, { FunctionName }) => FunctionName,
};

/** Whether a condition of the form `Not(Equals(a, b))` holds. */
const holds = (condition: Input): boolean => new Set(condition["Fn::Not"][0]["Fn::Equals"]).size > 1;

/** Responses for stacks, which requests may change. */
export const cloudFormationResponses = (
  { stacks, buckets }: Deployment,
  changing: ChangeOptions,
): Responses => {
  const events = new Map<string, object[]>();
  const sets = new Map<string, { type: string; template: Input }>();

  // The id of a stack is its name.
  const addEvent = (StackName: string, event: Record<string, string>): void => {
    const before = events.get(StackName) ?? [];
    const added = { ...event, EventId: randomUUID(), StackName, StackId: StackName, Timestamp: new Date() };
    events.set(StackName, [added, ...before]);
  };
  const setStatus = (name: string, status: string): void => {
    stacks.set(name, { ...stacks.get(name), status });
    const ResourceType = "AWS::CloudFormation::Stack";
    addEvent(name, { LogicalResourceId: name, ResourceType, ResourceStatus: status });
  };
  const fail = (name: string, LogicalResourceId: string, event: Record<string, string>): void =>
    addEvent(name, { LogicalResourceId, ResourceStatus: "CREATE_FAILED", ...event });
  const templateOf = ({ TemplateURL, TemplateBody }: Input): Input => {
    if (TemplateBody !== undefined) return JSON.parse(TemplateBody);
    const path = decodeURIComponent(new URL(TemplateURL).pathname);
    const found = buckets.get(path);
    if (found === undefined) throw new AwsError("ValidationError", `no template at ${path}`);
    return JSON.parse(found.body);
  };
  /** Executes a nested stack, whose id is its name too. @returns why it failed; `null` if it succeeded */
  const executeNested = (nested: string, { TemplateURL }: Input, bucket: string): string | null => {
    const { Resources } = templateOf({
      TemplateURL: TemplateURL["Fn::Sub"].replace(/^https:\/\/[^/]*/, `https://s3/${bucket}`),
    });
    for (const [logical, { Type }] of Object.entries<Input>(Resources)) {
      const ResourceStatusReason = changing.failing.get(logical);
      if (ResourceStatusReason === undefined) continue;
      fail(nested, logical, { ResourceType: Type, ResourceStatusReason });
      return `Embedded stack ${nested} was not successfully created`;
    }
    return null;
  };
  const execute = (name: string, type: string, template: Input): void => {
    const isNew = type === "CREATE";
    const verb = isNew ? "CREATE" : "UPDATE";
    setStatus(name, `${verb}_IN_PROGRESS`);
    if (changing.isStuck) return;
    const resources: Record<string, [string, string]> = {};
    for (const [logical, { Type, Condition, Properties = {} }] of Object.entries<Input>(template.Resources)) {
      if (Condition !== undefined && !holds(template.Conditions[Condition])) continue;
      const id = NAMES[Type]?.(name, Properties) ?? `${name}-${logical}`;
      const nestedReason =
        Type === "AWS::CloudFormation::Stack" ? executeNested(id, Properties, `${name}-bucket`) : null;
      const reason = changing.failing.get(logical) ?? nestedReason;
      if (reason !== null) {
        fail(name, logical, { ResourceType: Type, PhysicalResourceId: id, ResourceStatusReason: reason });
        const back = isNew ? "ROLLBACK" : "UPDATE_ROLLBACK";
        setStatus(name, `${back}_IN_PROGRESS`);
        if (!changing.isRollbackStuck) setStatus(name, `${back}_COMPLETE`);
        changing.onFailed();
        return;
      }
      resources[logical] = [Type, id];
    }
    stacks.set(name, {
      ...{ status: "", resources, template },
      ...("HttpApi" in resources ? { url: changing.url } : {}),
      ...("Domain" in resources ? { domainTarget: "d-1.execute-api.example" } : {}),
    });
    setStatus(name, `${verb}_COMPLETE`);
  };
  return byAction({
    "cloudformation CreateChangeSet": (input) => {
      const { StackName, ChangeSetName, ChangeSetType: type } = input;
      const now = stacks.get(StackName)?.status ?? "";
      if (now.endsWith("_IN_PROGRESS")) throw new AwsError("ValidationError", `${StackName} is in ${now}`);
      sets.set(`${StackName} ${ChangeSetName}`, { type, template: templateOf(input) });
      if (type === "CREATE") stacks.set(StackName, { status: "REVIEW_IN_PROGRESS" });
      return { Id: "set", StackId: StackName };
    },
    "cloudformation DescribeChangeSet": ({ StackName, ChangeSetName }) => ({
      ...{ StackName, ChangeSetName, StackId: StackName, ChangeSetId: "set" },
      ...{ Status: "CREATE_COMPLETE", ExecutionStatus: "AVAILABLE" },
      Changes: [{ Type: "Resource", ResourceChange: { Action: "Add", LogicalResourceId: "Table" } }],
    }),
    "cloudformation ExecuteChangeSet": ({ StackName, ChangeSetName }) => {
      const set = sets.get(`${StackName} ${ChangeSetName}`);
      if (set === undefined) throw new AwsError("ChangeSetNotFound", "no change set");
      execute(StackName, set.type, set.template);
    },
    "cloudformation DeleteChangeSet": () => ({}),
    "cloudformation ValidateTemplate": () => ({ Capabilities: ["CAPABILITY_IAM"] }),
    "cloudformation DescribeStackEvents": ({ StackName }) => ({ StackEvents: events.get(StackName) ?? [] }),
    "cloudformation DescribeStackResource": ({ StackName, LogicalResourceId }) => {
      const [type, id] = stacks.get(StackName)?.resources?.[LogicalResourceId] ?? [];
      const absent = `Resource ${LogicalResourceId} does not exist for stack ${StackName}`;
      if (id === undefined) throw new AwsError("ValidationError", absent);
      return {
        StackResourceDetail: {
          ...{ StackName, LogicalResourceId, PhysicalResourceId: id, ResourceType: type },
          ...{ ResourceStatus: "CREATE_COMPLETE", LastUpdatedTimestamp: new Date() },
        },
      };
    },
    "cloudformation DeleteStack": ({ StackName }) => {
      setStatus(StackName, "DELETE_IN_PROGRESS");
      setStatus(StackName, "DELETE_COMPLETE");
      stacks.delete(StackName);
    },
  });
};
