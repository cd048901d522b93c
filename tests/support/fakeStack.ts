/** A fake deployment: responses of STS, CloudFormation and Systems Manager. */
import { beforeEach } from "vitest";
import { AwsError, byAction, type Input, type Responses, useFakeAws } from "./fakeAws.ts";
import type { Buckets } from "./fakeS3.ts";

export interface Stack {
  status: string;
  url?: string;
  domainTarget?: string;
  template?: Input;
  resources?: Record<string, [type: string, id: string]>;
}

export interface Deployment {
  /** Stacks by name. */
  stacks: Map<string, Stack>;
  /** Parameters by name. */
  parameters: Map<string, { value: string; type: string; version: number }>;
  buckets: Buckets;
}

/** A secret of a deployment. */
export const parameter = (value: unknown) => ({
  ...{ value: JSON.stringify(value), type: "SecureString", version: 1 },
});

/** A fake AWS whose account has no deployments before each test. */
export const useFakeDeployment = () => {
  const aws = useFakeAws();
  const deployment: Deployment = { stacks: new Map(), parameters: new Map(), buckets: new Map() };
  beforeEach(() => {
    for (const all of Object.values(deployment)) all.clear();
  });
  return { aws, deployment };
};

const CREATED = { CreationTime: new Date(0) };

/** Responses for a deployment, which requests may change. */
export const stackResponses = ({ stacks, parameters }: Deployment): Responses =>
  byAction({
    "sts GetCallerIdentity": () => ({
      ...{ UserId: "AIDA", Account: "123456789012", Arn: "arn:aws:iam::123456789012:user/club" },
    }),
    "cloudformation DescribeStacks": ({ StackName }) => {
      const found = stacks.get(StackName);
      if (found === undefined)
        throw new AwsError("ValidationError", `Stack with id ${StackName} does not exist`);
      const outputs = Object.entries({ HttpApiUrl: found.url, DomainTarget: found.domainTarget });
      const Outputs = outputs
        .filter(([, value]) => value !== undefined)
        .map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
      return { Stacks: [{ ...CREATED, StackName, StackStatus: found.status, Outputs }] };
    },
    "cloudformation GetTemplate": ({ StackName }) => ({
      TemplateBody: JSON.stringify(stacks.get(StackName)?.template ?? { Resources: {} }),
    }),
    "cloudformation ListStacks": () => ({
      StackSummaries: [...stacks].map(([StackName, { status: StackStatus }]) => ({
        ...{ ...CREATED, StackName, StackStatus },
      })),
    }),
    "cloudformation ListStackResources": ({ StackName }) => ({
      StackResourceSummaries: Object.entries(stacks.get(StackName)?.resources ?? {}).map(
        ([LogicalResourceId, [ResourceType, PhysicalResourceId]]) => ({
          ...{ LogicalResourceId, ResourceType, PhysicalResourceId },
          ...{ ResourceStatus: "CREATE_COMPLETE", LastUpdatedTimestamp: new Date(0) },
        }),
      ),
    }),
    "ssm GetParameter": ({ Name, WithDecryption }) => {
      const found = parameters.get(Name);
      if (found === undefined) throw new AwsError("ParameterNotFound", `no parameter ${Name}`);
      const { value, version: Version } = found;
      return { Parameter: { Name, Value: WithDecryption === true ? value : "encrypted", Version } };
    },
    "ssm PutParameter": ({ Name, Value: value, Type: type, Overwrite }) => {
      const before = parameters.get(Name);
      if (before !== undefined && Overwrite !== true) {
        throw new AwsError("ParameterAlreadyExists", `${Name} exists`);
      }
      const version = (before?.version ?? 0) + 1;
      parameters.set(Name, { value, type, version });
      return { Version: version };
    },
    "ssm DeleteParameters": ({ Names }) => {
      for (const name of Names) parameters.delete(name);
      return { DeletedParameters: Names };
    },
  });
