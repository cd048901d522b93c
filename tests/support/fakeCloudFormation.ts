/**
 * A fake CloudFormation that executes change sets. Tests can make resources fail and changes hang.
 */
import { isDeepStrictEqual } from "node:util";
import { AwsError, byAction, type Input, type Responses } from "./fakeAws.ts";
import type { Buckets } from "./fakeS3.ts";
import type { Deployment } from "./fakeStack.ts";

/** How changes behave. */
export interface ChangeOptions {
  /** Failures by the logical id of the resource. */
  failing: Map<string, string>;
  /** Whether changes start but never end. */
  isStuck: boolean;
  /** Whether a rollback never ends. */
  isSlow: boolean;
  /** Called when a change has failed and the rollback has started. */
  onFailed: () => void;
  /** The URL of the API. */
  url: string;
}

/** Changes that succeed. */
export const successfulChanges = (url = "https://api.example"): ChangeOptions => ({
  failing: new Map(),
  isStuck: false,
  isSlow: false,
  onFailed: () => {},
  url,
});

const NAMES: Record<string, (name: string, properties: Input) => string> = {
  "AWS::S3::Bucket": (name) => `${name}-bucket`,
  "AWS::DynamoDB::Table": (_, { TableName }) => TableName,
  "AWS::Lambda::Function": (_, { FunctionName }) => FunctionName,
};

/** Whether a condition of the form `Not(Equals(a, b))` holds. */
const holds = (condition: Input): boolean => {
  const [one, other] = condition["Fn::Not"][0]["Fn::Equals"];
  return one !== other;
};

/** Responses for stacks, which requests may change. */
export const cloudFormationResponses = (
  { stacks }: Deployment,
  buckets: Buckets,
  changing: ChangeOptions,
): Responses => {
  const events = new Map<string, object[]>();
  const sets = new Map<string, { type: string; template: Input }>();
  let count = 0;

  // The id of a stack is its name.
  const addEvent = (StackName: string, event: Record<string, string>): void => {
    count += 1;
    const added = { ...event, EventId: String(count), StackName, StackId: StackName, Timestamp: new Date() };
    events.set(StackName, [added, ...(events.get(StackName) ?? [])]);
  };
  const setStatus = (name: string, status: string): void => {
    stacks.set(name, { ...stacks.get(name), status });
    const ResourceType = "AWS::CloudFormation::Stack";
    addEvent(name, { LogicalResourceId: name, ResourceType, ResourceStatus: status });
  };
  const fail = (name: string, LogicalResourceId: string, event: Record<string, string>): void =>
    addEvent(name, { LogicalResourceId, ResourceStatus: "CREATE_FAILED", ...event });
  /** Executes a nested stack, whose id is its name too. @returns why it failed */
  const executeNested = (
    nested: string,
    { TemplateURL, Parameters }: Input,
    bucket: string,
  ): string | null => {
    const url = new URL(
      TemplateURL["Fn::Sub"].replace(/\$\{\w+\}(.*?)\$\{.*?\}(.*?)\$\{.*?\}/, "bucket$1region$2suffix"),
    );
    const uploaded = buckets.get(`/${bucket}${url.pathname}`);
    if (uploaded === undefined) return "S3 error: The specified key does not exist.";
    const template: Input = JSON.parse(uploaded.body);
    if (!isDeepStrictEqual(Object.keys(template.Parameters), Object.keys(Parameters)))
      return `Parameters: ${Object.keys(template.Parameters)} must have values`;
    for (const [logical, { Type }] of Object.entries<Input>(template.Resources)) {
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
        fail(name, logical, {
          ...{ ResourceType: Type, PhysicalResourceId: id, ResourceStatusReason: reason },
        });
        const back = isNew ? "ROLLBACK" : "UPDATE_ROLLBACK";
        setStatus(name, `${back}_IN_PROGRESS`);
        if (!changing.isSlow) setStatus(name, `${back}_COMPLETE`);
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
  const templateOf = ({ TemplateURL, TemplateBody }: Input): Input => {
    if (TemplateBody !== undefined) return JSON.parse(TemplateBody);
    const path = decodeURIComponent(new URL(TemplateURL).pathname);
    const found = buckets.get(path);
    if (found === undefined) throw new AwsError("ValidationError", `no template at ${path}`);
    return JSON.parse(found.body);
  };

  return byAction({
    "cloudformation CreateChangeSet": (input) => {
      const { StackName, ChangeSetName, ChangeSetType: type } = input;
      const now = stacks.get(StackName)?.status ?? "";
      if (now.endsWith("_IN_PROGRESS")) {
        const reason = `Stack ${StackName} is in ${now} state and can not be updated.`;
        throw new AwsError("ValidationError", reason);
      }
      sets.set(`${StackName} ${ChangeSetName}`, { type, template: templateOf(input) });
      if (type === "CREATE") stacks.set(StackName, { status: "REVIEW_IN_PROGRESS" });
      return { Id: "set", StackId: StackName };
    },
    "cloudformation DescribeChangeSet": ({ StackName, ChangeSetName }) => ({
      ...{ StackName, ChangeSetName, StackId: StackName, ChangeSetId: "set" },
      ...{ Status: "CREATE_COMPLETE", ExecutionStatus: "AVAILABLE" },
      Changes: Object.keys(sets.get(`${StackName} ${ChangeSetName}`)?.template.Resources ?? {}).map(
        (LogicalResourceId) => ({ Type: "Resource", ResourceChange: { Action: "Add", LogicalResourceId } }),
      ),
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
      if (id === undefined) {
        const reason = `Resource ${LogicalResourceId} does not exist for stack ${StackName}`;
        throw new AwsError("ValidationError", reason);
      }
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
