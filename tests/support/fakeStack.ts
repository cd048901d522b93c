/** A fake deployment: responses of STS, CloudFormation and Systems Manager. */
import { AwsError, type Input, type Responses } from "./fakeAws.ts";

export interface Deployment {
  /** Stacks by name. */
  stacks: Map<
    string,
    {
      status: string;
      url?: string;
      domainTarget?: string;
      resources?: Record<string, [type: string, id: string]>;
    }
  >;
  /** Parameters by name. */
  parameters: Map<string, { value: string; type: string; version: number }>;
}

/** An account without deployments. */
export const emptyDeployment = (): Deployment => ({ stacks: new Map(), parameters: new Map() });

const parameterOf = ({ parameters }: Deployment, name: string) => {
  const found = parameters.get(name);
  if (found === undefined) throw new AwsError("ParameterNotFound", `no parameter ${name}`);
  return found;
};

/** Responses for a deployment, which requests may change. */
export const stackResponses = (deployment: Deployment): Responses => [
  [
    "sts GetCallerIdentity",
    () => ({ UserId: "AIDA", Account: "123456789012", Arn: "arn:aws:iam::123456789012:user/club" }),
  ],
  [
    "cloudformation DescribeStacks",
    ({ StackName }: Input) => {
      const found = deployment.stacks.get(StackName);
      if (found === undefined)
        throw new AwsError("ValidationError", `Stack with id ${StackName} does not exist`);
      return {
        Stacks: [
          {
            StackName,
            StackStatus: found.status,
            CreationTime: new Date(0),
            Outputs: [
              { OutputKey: "HttpApiUrl", OutputValue: found.url },
              { OutputKey: "DomainTarget", OutputValue: found.domainTarget },
            ].filter(({ OutputValue }) => OutputValue !== undefined),
          },
        ],
      };
    },
  ],
  [
    "cloudformation ListStacks",
    () => ({
      StackSummaries: [...deployment.stacks].map(([StackName, { status }]) => ({
        StackName,
        StackStatus: status,
        CreationTime: new Date(0),
      })),
    }),
  ],
  [
    "cloudformation ListStackResources",
    ({ StackName }: Input) => ({
      StackResourceSummaries: Object.entries(deployment.stacks.get(StackName)?.resources ?? {}).map(
        ([LogicalResourceId, [ResourceType, PhysicalResourceId]]) => ({
          LogicalResourceId,
          ResourceType,
          PhysicalResourceId,
          ResourceStatus: "CREATE_COMPLETE",
          LastUpdatedTimestamp: new Date(0),
        }),
      ),
    }),
  ],
  [
    "ssm GetParameter",
    ({ Name, WithDecryption }: Input) => {
      const { value, version } = parameterOf(deployment, Name);
      return { Parameter: { Name, Value: WithDecryption === true ? value : "encrypted", Version: version } };
    },
  ],
  [
    "ssm PutParameter",
    ({ Name, Value, Type, Overwrite }: Input) => {
      const before = deployment.parameters.get(Name);
      if (before !== undefined && Overwrite !== true) {
        throw new AwsError("ParameterAlreadyExists", `${Name} exists`);
      }
      const version = (before?.version ?? 0) + 1;
      deployment.parameters.set(Name, { value: Value, type: Type, version });
      return { Version: version };
    },
  ],
  [
    "ssm DeleteParameters",
    ({ Names }: Input) => {
      for (const name of Names) deployment.parameters.delete(name);
      return { DeletedParameters: Names };
    },
  ],
];
