/** Resolves references of a packaged template, and of its nested template of roles, as CloudFormation would. */
import type { Resource, Template } from "./template.ts";

export const ACCOUNT = "123456789012";
export const REGION = "eu-central-1";

/** The templates of one deployment. */
export interface Templates {
  service: Template;
  roles: Template;
}

export const arnIn = (service: string, resource: string): string =>
  `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** What `Ref` and `Fn::GetAtt` return for the types of resources to which policies refer. */
const VALUES: Record<string, (properties: Resource["Properties"]) => Record<string, string>> = {
  "AWS::DynamoDB::Table": ({ TableName }) => {
    const Arn = arnIn("dynamodb", `table/${TableName}`);
    return { Ref: TableName, Arn, StreamArn: `${Arn}/stream/2026-01-01T00:00:00.000` };
  },
  "AWS::SQS::Queue": ({ QueueName }) => ({
    Ref: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${QueueName}`,
    ...{ Arn: arnIn("sqs", QueueName), QueueName },
  }),
  // The ARN stands for all streams of the group.
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-logs-loggroup.html
  "AWS::Logs::LogGroup": ({ LogGroupName }) => ({
    Ref: LogGroupName,
    Arn: arnIn("logs", `log-group:${LogGroupName}:*`),
  }),
  "AWS::Lambda::Function": ({ FunctionName }) => ({
    Ref: FunctionName,
    Arn: arnIn("lambda", `function:${FunctionName}`),
  }),
  "AWS::SNS::Topic": ({ TopicName }) => ({ Ref: arnIn("sns", TopicName) }),
  "AWS::Events::Rule": ({ Name }) => ({ Ref: Name, Arn: arnIn("events", `rule/${Name}`) }),
};

const PSEUDO_PARAMETERS = new Map([
  ["AWS::Partition", "aws"],
  ["AWS::Region", REGION],
  ["AWS::AccountId", ACCOUNT],
]);

/** The name of a resource that has none of its own: CloudFormation makes it from the logical id. */
const nameFor = (id: string): string => `zombie-game-${id}-1A2B3C`;
const roleArn = (id: string): string => `arn:aws:iam::${ACCOUNT}:role/${nameFor(id)}`;

type Look = (name: string, attribute: string) => string;

/** Replaces `Ref`, `Fn::GetAtt` and `Fn::Sub`. @throws Error for another function */
const replaceIn = (value: unknown, look: Look): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaceIn(one, look));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [[name = "", argument] = []] = entries;
  const ref = (id: string) => PSEUDO_PARAMETERS.get(id) ?? look(id, "Ref");
  if (name === "Ref") return ref(argument);
  if (name === "Fn::GetAtt") return look(argument[0], argument[1]);
  if (name === "Fn::Sub")
    return argument.replaceAll(/\$\{([\w:]+)(?:\.(\w+))?\}/g, (_: string, id: string, attribute?: string) =>
      attribute === undefined ? ref(id) : look(id, attribute),
    );
  if (name.startsWith("Fn::")) throw new Error(`${name} is not resolved`);
  return Object.fromEntries(entries.map(([key, inner]) => [key, replaceIn(inner, look)]));
};

/** Functions that resolve what the resources of one deployment contain. */
export const openTemplates = ({ service, roles }: Templates) => {
  const lookInService: Look = (id, attribute) => {
    const resource = service.Resources[id];
    if (resource?.Type === "AWS::CloudFormation::Stack") return lookAtOutput(attribute);
    const values = resource && (VALUES[resource.Type]?.(resource.Properties) ?? { Ref: nameFor(id) });
    const value = values?.[attribute];
    if (value === undefined) throw new Error(`${id}.${attribute} cannot be resolved`);
    return value;
  };
  const parameters = () =>
    Object.values(service.Resources).find(({ Type }) => Type === "AWS::CloudFormation::Stack")?.Properties
      .Parameters ?? {};
  const lookInRoles: Look = (id, attribute) => {
    if (roles.Resources[id] !== undefined && attribute === "Arn") return roleArn(id);
    if (parameters()[id] === undefined || attribute !== "Ref")
      throw new Error(`${id}.${attribute} cannot be resolved among the roles`);
    return String(replaceIn(parameters()[id], lookInService));
  };
  const lookAtOutput = (attribute: string): string => {
    const output = roles.Outputs[attribute.replace("Outputs.", "")];
    if (output === undefined) throw new Error(`the roles have no ${attribute}`);
    return String(replaceIn(output.Value, lookInRoles));
  };
  const ofType = ({ Resources }: Template, type: string, look: Look): Resource["Properties"][] =>
    Object.values(Resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => Object(replaceIn(Properties, look)));
  return {
    /** The resolved properties of all resources of a type in the service's template. */
    inService: (type: string) => ofType(service, type, lookInService),
    /** The resolved properties of the roles by their ARN. */
    roles: () =>
      new Map(
        Object.entries(roles.Resources).map(([id, { Properties }]): [string, Resource["Properties"]] => [
          roleArn(id),
          Object(replaceIn(Properties, lookInRoles)),
        ]),
      ),
  };
};
