/** What the roles in packaged templates are used for: by the code, as recorded, and by AWS on behalf of the service. */
import { arnIn, openTemplates, type Templates } from "./resolve.ts";
import type { Resource } from "./template.ts";

interface Right {
  action: string;
  resource: string;
  /** How a policy names the resource, if it cannot name it exactly. */
  grantedAs?: string;
}

export type Properties = Resource["Properties"];

export const LAMBDA = "lambda.amazonaws.com";
export const GATEWAY = "apigateway.amazonaws.com";

const nameIn = (arn: string): string => arn.split(":").at(-1) ?? "";
/** A value that may be a list, or missing, as a list. */
export const listOf = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());

/** The resource that the code accesses, according to the settings of its function. */
const resourceOf = (place: string, { TABLE_NAME, QUEUE_URL, PARAMETERS }: Record<string, string>): string => {
  if (place === "queue") return arnIn("sqs", QUEUE_URL?.split("/").at(-1) ?? "");
  if (/_(keys|url)$/.test(place)) return arnIn("ssm", `parameter${PARAMETERS}/${place.replace("_", "-")}`);
  return arnIn("dynamodb", `table/${TABLE_NAME}${place === "table" ? "" : `/index/${place}`}`);
};

const rightOfCall = (call: string, settings: Record<string, string>): Right => {
  const [place = "", action = ""] = call.split(" ");
  const resource = resourceOf(place, settings);
  return { action: `${resource.split(":")[2]}:${action}`, resource };
};

/** The queues to which Lambda sends failures. @throws Error for a destination that is no queue */
const rightsToSend = ({ DestinationConfig = {} }: Properties): Right[] =>
  Object.values<Properties>(DestinationConfig).map(({ Destination: resource }) => {
    if (!resource.startsWith("arn:aws:sqs:")) throw new Error(`${resource} is not a queue`);
    return { action: "sqs:SendMessage", resource };
  });

/**
 * What Lambda does with the role of a function to read from an event source.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
 */
const rightsToRead = (resource: string): Right[] => {
  const [service, actions] = resource.startsWith("arn:aws:sqs:")
    ? ["sqs", ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"]]
    : ["dynamodb", ["GetRecords", "GetShardIterator", "DescribeStream"]];
  const rights = actions.map((action) => ({ action: `${service}:${action}`, resource }));
  // Streams can only be listed all together.
  return service === "sqs" ? rights : [...rights, { action: "dynamodb:ListStreams", resource: "*" }];
};

/** Reads in the same tick are batched, so a function that reads an item needs both. */
const withReads = (calls: readonly string[]): string[] => {
  const reads = ["table GetItem", "table BatchGetItem"];
  return reads.some((read) => calls.includes(read)) ? [...new Set([...calls, ...reads])] : [...calls];
};

/** A role with who uses it, and for what. */
export interface Use {
  role: string;
  user: string;
  /** The service that assumes the role. */
  by: string;
  rights: Right[];
}

export type CallsOf = (functionName: string) => readonly string[];

/** Everything that the roles of the templates are used for. */
export const usesIn = (templates: Templates, callsOf: CallsOf): Use[] => {
  const { inService } = openTemplates(templates);
  const sources = inService("AWS::Lambda::EventSourceMapping");
  const asynchronous = inService("AWS::Lambda::EventInvokeConfig");
  const functions = inService("AWS::Lambda::Function");
  const stage = functions[0]?.Environment.Variables.TABLE_NAME;

  const ofFunctions = functions.map(({ FunctionName, Role, Environment, LoggingConfig }): Use => {
    const isOwn = ({ FunctionName: name }: Properties) => nameIn(name) === FunctionName;
    const name = FunctionName.replace(`${stage}-`, "");
    const group = `log-group:${LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`}`;
    const resource = arnIn("logs", `${group}:log-stream:2026/01/31/[$LATEST]0`);
    const log = { resource, grantedAs: arnIn("logs", `${group}:*`) };
    const rights = [
      ...["logs:CreateLogStream", "logs:PutLogEvents"].map((action) => ({ action, ...log })),
      ...withReads(callsOf(name)).map((call) => rightOfCall(call, Environment.Variables)),
      ...sources.filter(isOwn).flatMap((one) => [...rightsToRead(one.EventSourceArn), ...rightsToSend(one)]),
      ...asynchronous.filter(isOwn).flatMap(rightsToSend),
    ];
    return { role: Role, user: name, by: LAMBDA, rights };
  });
  const invoke = { action: "lambda:InvokeFunction", grantedAs: arnIn("lambda", `function:${stage}-*`) };
  const ofApi = Map.groupBy(inService("AWS::ApiGatewayV2::Integration"), (one) => one.CredentialsArn);
  return [
    ...ofFunctions,
    ...[...ofApi].map(([role, integrations]): Use => {
      const rights = integrations.map((one) => ({ resource: one.IntegrationUri, ...invoke }));
      return { role, user: "the API", by: GATEWAY, rights };
    }),
  ];
};

/** The policies of functions, queues and topics themselves, by ARN. */
export const resourcePoliciesIn = (templates: Templates): Map<string, unknown> => {
  const { inService } = openTemplates(templates);
  const statements: [string, unknown][] = [
    ...inService("AWS::SQS::QueuePolicy").flatMap(({ Queues, PolicyDocument }) =>
      Queues.flatMap((queue: string) =>
        listOf(PolicyDocument.Statement).map((one) => [arnIn("sqs", queue.split("/").at(-1) ?? ""), one]),
      ),
    ),
    ...inService("AWS::SNS::TopicPolicy").flatMap(({ Topics, PolicyDocument }) =>
      Topics.flatMap((topic: string) => listOf(PolicyDocument.Statement).map((one) => [topic, one])),
    ),
    // The statement that Lambda makes of a permission:
    // https://docs.aws.amazon.com/lambda/latest/dg/permissions-function-services.html
    ...inService("AWS::Lambda::Permission").map(
      ({ FunctionName, Action, Principal, SourceArn }): [string, unknown] => {
        const Resource = arnIn("lambda", `function:${nameIn(FunctionName)}`);
        const limit =
          SourceArn === undefined ? {} : { Condition: { ArnLike: { "AWS:SourceArn": SourceArn } } };
        return [Resource, { Effect: "Allow", Principal: { Service: Principal }, Action, Resource, ...limit }];
      },
    ),
  ];
  const grouped = [...Map.groupBy(statements, ([arn]) => arn)];
  return new Map(
    grouped.map(([arn, all]) => [arn, { Version: "2012-10-17", Statement: all.map(([, one]) => one) }]),
  );
};
