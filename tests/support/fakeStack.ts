/** A fake deployment: what exists, and the responses of STS, CloudFormation, Systems Manager and DynamoDB about it. */
import { beforeEach } from "vitest";
import { AwsError, byAction, type Input, type Responses, useFakeAws } from "./fakeAws.ts";
import { type Buckets, makeBuckets } from "./fakeS3.ts";

export interface Stack {
  status: string;
  /** Why it has this status, if that is not a success. */
  reason?: string;
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
  /** The items of each table. */
  tables: Map<string, object[]>;
}

/** AWS sends lists of resources and events in pages of a hundred. */
const PAGE = 100;

/** A page of a list, and the token of the next one. */
export const pageOf = <T>(
  all: readonly T[],
  token: string | undefined,
): { page: T[]; NextToken?: string } => {
  const start = Number(token ?? 0);
  const page = all.slice(start, start + PAGE);
  return start + PAGE < all.length ? { page, NextToken: `${start + PAGE}` } : { page };
};

/** A secret of a deployment. */
export const parameter = (value: unknown) => ({
  ...{ value: JSON.stringify(value), type: "SecureString", version: 1 },
});

/** A fake AWS whose account has no deployments before each test. */
export const useFakeDeployment = () => {
  const aws = useFakeAws();
  const buckets = makeBuckets();
  const deployment: Deployment = { stacks: new Map(), parameters: new Map(), buckets, tables: new Map() };
  beforeEach(() => {
    for (const all of [deployment.stacks, deployment.parameters, deployment.tables]) all.clear();
    buckets.purgeAll();
  });
  return { aws, deployment };
};

const CREATED = { CreationTime: new Date(0) };

/**
 * The longest value of a parameter of the standard tier, in bytes.
 * https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
 */
const MAX_PARAMETER = 4_096;

const requireExisting = (stacks: Deployment["stacks"], name: string): Stack => {
  const found = stacks.get(name);
  if (found === undefined) throw new AwsError("ValidationError", `Stack with id ${name} does not exist`);
  return found;
};

/** Responses for a deployment, which requests may change. */
export const stackResponses = ({ stacks, parameters }: Deployment): Responses =>
  byAction({
    "sts GetCallerIdentity": () => ({
      ...{ UserId: "AIDA", Account: "123456789012", Arn: "arn:aws:iam::123456789012:user/club" },
    }),
    "cloudformation DescribeStacks": ({ StackName }) => {
      const found = requireExisting(stacks, StackName);
      const outputs = Object.entries({ HttpApiUrl: found.url, DomainTarget: found.domainTarget });
      const Outputs = outputs
        .filter(([, value]) => value !== undefined)
        .map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
      return { Stacks: [{ ...CREATED, StackName, StackStatus: found.status, Outputs }] };
    },
    "cloudformation GetTemplate": ({ StackName }) => ({
      TemplateBody: JSON.stringify(requireExisting(stacks, StackName).template ?? { Resources: {} }),
    }),
    "cloudformation ListStacks": () => ({
      StackSummaries: [...stacks].map(([StackName, { status: StackStatus }]) => ({
        ...{ ...CREATED, StackName, StackStatus },
      })),
    }),
    "cloudformation ListStackResources": ({ StackName, NextToken }) => {
      const all = Object.entries(requireExisting(stacks, StackName).resources ?? {});
      const { page, ...next } = pageOf(all, NextToken);
      const StackResourceSummaries = page.map(([LogicalResourceId, [ResourceType, PhysicalResourceId]]) => ({
        ...{ LogicalResourceId, ResourceType, PhysicalResourceId },
        ...{ ResourceStatus: "CREATE_COMPLETE", LastUpdatedTimestamp: new Date(0) },
      }));
      return { StackResourceSummaries, ...next };
    },
    "ssm GetParameter": ({ Name, WithDecryption }) => {
      const found = parameters.get(Name);
      if (found === undefined) throw new AwsError("ParameterNotFound", `no parameter ${Name}`);
      const { value, version: Version } = found;
      return { Parameter: { Name, Value: WithDecryption === true ? value : "encrypted", Version } };
    },
    "ssm PutParameter": ({ Name, Value: value, Type: type, Overwrite }) => {
      if (Buffer.byteLength(value) > MAX_PARAMETER) {
        const limit = `Standard tier parameters support a maximum parameter value of ${MAX_PARAMETER} characters`;
        throw new AwsError("ValidationException", limit);
      }
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

/** Responses of DynamoDB about the tables of a deployment. */
export const tableResponses = ({ tables }: Deployment): Responses => {
  const describe = ({ TableName }: Input) => {
    if (!tables.has(TableName)) throw new AwsError("ResourceNotFoundException", `no ${TableName}`);
    return { TableName, TableStatus: "ACTIVE", DeletionProtectionEnabled: true };
  };
  return byAction({
    "dynamodb DescribeTable": (input) => ({ Table: describe(input) }),
    "dynamodb UpdateTable": (input) => ({ TableDescription: describe(input) }),
    "dynamodb Scan": ({ TableName }) => ({ Items: tables.get(TableName) }),
    // No item is there: nobody is a game master yet.
    "dynamodb GetItem": () => ({}),
    "dynamodb PutItem": () => ({}),
    "dynamodb DeleteTable": ({ TableName }) => (tables.delete(TableName) ? {} : {}),
  });
};
