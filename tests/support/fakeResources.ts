/**
 * What the services refuse when CloudFormation creates, changes or deletes a resource, as far as no validator of
 * templates can know it: it depends on what exists, on other resources, or on what was deployed before.
 */
import { isDeepStrictEqual } from "node:util";
import { runSimulation } from "@cloud-copilot/iam-simulate";
import { fromBuffer } from "yauzl";
import type { Input } from "./fakeAws.ts";
import { type Buckets, contentOf } from "./fakeS3.ts";

/** A type of resource. */
interface Kind {
  /** The property that names the resource. */
  name?: string;
  /** The properties whose change replaces it. */
  replacedBy: readonly string[];
  /** The values of `Fn::GetAtt`. @param id the physical id */
  attributes?: (id: string) => Record<string, string>;
}

const ACCOUNT = "123456789012";
const arn = (service: string, rest: string): string => `arn:aws:${service}:eu-central-1:${ACCOUNT}:${rest}`;
const arnOf =
  (service: string, prefix = "") =>
  (id: string) => ({ Arn: arn(service, `${prefix}${id}`) });

/**
 * The types that exist here. The template reference says of each property whether its change replaces the resource:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-template-resource-type-ref.html
 */
export const KINDS: Readonly<Record<string, Kind>> = {
  "AWS::ApiGatewayV2::Api": { replacedBy: ["ProtocolType"] },
  "AWS::ApiGatewayV2::ApiMapping": { replacedBy: ["DomainName"] },
  "AWS::ApiGatewayV2::DomainName": {
    name: "DomainName",
    replacedBy: ["DomainName"],
    attributes: () => ({ RegionalDomainName: "d-1.execute-api.example", RegionalHostedZoneId: "Z1" }),
  },
  "AWS::ApiGatewayV2::Integration": { replacedBy: ["ApiId"] },
  "AWS::ApiGatewayV2::Route": { replacedBy: ["ApiId"] },
  "AWS::ApiGatewayV2::Stage": { replacedBy: ["ApiId", "StageName"] },
  "AWS::Budgets::Budget": { replacedBy: ["NotificationsWithSubscribers"] },
  "AWS::CloudFormation::Stack": { replacedBy: [] },
  "AWS::CloudWatch::Alarm": {
    name: "AlarmName",
    replacedBy: ["AlarmName"],
    attributes: arnOf("cloudwatch", "alarm:"),
  },
  "AWS::CloudWatch::Dashboard": { name: "DashboardName", replacedBy: ["DashboardName"] },
  "AWS::DynamoDB::Table": {
    name: "TableName",
    replacedBy: ["TableName", "KeySchema", "LocalSecondaryIndexes"],
    attributes: (id) => ({
      Arn: arn("dynamodb", `table/${id}`),
      StreamArn: arn("dynamodb", `table/${id}/stream/2026-01-01T00:00:00.000`),
    }),
  },
  "AWS::Events::Rule": { name: "Name", replacedBy: ["Name"], attributes: arnOf("events", "rule/") },
  "AWS::IAM::Role": {
    name: "RoleName",
    replacedBy: ["RoleName", "Path"],
    attributes: (id) => ({ Arn: `arn:aws:iam::${ACCOUNT}:role/${id}`, RoleId: id }),
  },
  "AWS::Lambda::EventInvokeConfig": { replacedBy: ["FunctionName", "Qualifier"] },
  "AWS::Lambda::EventSourceMapping": { replacedBy: ["EventSourceArn", "StartingPosition"] },
  "AWS::Lambda::Function": {
    name: "FunctionName",
    replacedBy: ["FunctionName", "PackageType"],
    attributes: arnOf("lambda", "function:"),
  },
  "AWS::Lambda::Permission": { replacedBy: ["Action", "FunctionName", "Principal", "SourceArn"] },
  "AWS::Logs::LogGroup": {
    name: "LogGroupName",
    replacedBy: ["LogGroupName"],
    attributes: arnOf("logs", "log-group:"),
  },
  "AWS::S3::Bucket": {
    name: "BucketName",
    replacedBy: ["BucketName"],
    attributes: (id) => ({ Arn: `arn:aws:s3:::${id}` }),
  },
  "AWS::S3::BucketPolicy": { replacedBy: ["Bucket"] },
  "AWS::SNS::Subscription": { replacedBy: ["Endpoint", "Protocol", "TopicArn"] },
  "AWS::SNS::Topic": { name: "TopicName", replacedBy: ["TopicName", "FifoTopic"], attributes: arnOf("sns") },
  "AWS::SNS::TopicPolicy": { replacedBy: [] },
  "AWS::SQS::Queue": {
    name: "QueueName",
    replacedBy: ["QueueName", "FifoQueue"],
    attributes: (id) => ({ Arn: arn("sqs", id), QueueName: id }),
  },
  "AWS::SQS::QueuePolicy": { replacedBy: [] },
};

/** A resource that exists. */
export interface Live {
  type: string;
  id: string;
  properties: Input;
}

/** What a resource may find when it is created or changed. */
export interface Surroundings {
  buckets: Buckets;
  /** The roles of all stacks, by their ARN. */
  roles: ReadonlyMap<string, Input>;
  /**
   * The resources of the stack that are certain to exist at that moment: those from before, and those that this one waits
   * for. CloudFormation creates all others at the same time.
   */
  certain: readonly Live[];
  /** The properties from before; undefined for a new resource. */
  before: Input;
}

/** Returns why a service refuses a resource; `null` if it does not. */
type Refusal = (properties: Input, surroundings: Surroundings) => Promise<string | null>;

/** Whether a role may do something, as a simulator of policies judges it. */
const mayDo = async (role: Input, action: string, resource: string): Promise<boolean> => {
  const policies = (role.Policies ?? []) as { PolicyName: string; PolicyDocument: Input }[];
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/function`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: {},
      },
      identityPolicies: policies.map(({ PolicyName: name, PolicyDocument: policy }) => ({ name, policy })),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === "error") throw new Error(`${action}: ${result.errors.message}`);
  return result.overallResult === "Allowed";
};

/**
 * The environment of a function, all names and values together, in bytes.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_ENVIRONMENT = 4_096;
/** A function's files, unzipped, in bytes (same page). A zip in a bucket has no limit of its own. */
const MAX_UNZIPPED = 262_144_000;

/** The size of a zip's files in bytes; `null` if it is no zip. */
const unzippedSize = (zip: Buffer): Promise<number | null> =>
  new Promise((resolve) => {
    fromBuffer(zip, (error, file) => {
      if (error !== null) return resolve(null);
      let size = 0;
      file.on("entry", ({ uncompressedSize }) => {
        size += uncompressedSize;
      });
      file.on("end", () => resolve(size)).on("error", () => resolve(null));
    });
  });

/** The sizes of the zips that were read. */
const sizes = new WeakMap<Buffer, number | null>();

const refuseFunction: Refusal = async ({ Code, Role, Environment }, { buckets, roles }) => {
  const zip = contentOf(buckets, `/${Code.S3Bucket}/${Code.S3Key}`);
  if (zip === undefined)
    return "Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.";
  if (!sizes.has(zip)) sizes.set(zip, await unzippedSize(zip));
  const size = sizes.get(zip) ?? null;
  if (size === null)
    return "Could not unzip uploaded file. Please check your file, then try to upload again.";
  if (size === 0) return "Uploaded file must be a non-empty zip";
  if (size > MAX_UNZIPPED) return `Unzipped size must be smaller than ${MAX_UNZIPPED} bytes`;
  // https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
  const trust: Input[] = roles.get(Role)?.AssumeRolePolicyDocument.Statement ?? [];
  const isTrusted = trust.some(
    ({ Effect, Principal, Action }) =>
      Effect === "Allow" &&
      [Principal.Service].flat().includes("lambda.amazonaws.com") &&
      [Action].flat().includes("sts:AssumeRole"),
  );
  if (!isTrusted) return "The role defined for the function cannot be assumed by Lambda.";
  const variables = Environment?.Variables ?? {};
  const bytes = Object.entries(variables).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0);
  return bytes > MAX_ENVIRONMENT
    ? "Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit."
    : null;
};

/**
 * Lambda calls the event source once with the function's role before it accepts a mapping.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
const refuseMapping: Refusal = async (properties, { certain, roles }) => {
  const { EventSourceArn, FunctionName, DestinationConfig } = properties;
  const worker = certain.find((one) => KINDS[one.type]?.attributes?.(one.id).Arn === FunctionName);
  const role = roles.get(worker?.properties.Role);
  if (role === undefined) return `Function not found: ${FunctionName}`;
  if (EventSourceArn.includes(":sqs:")) {
    for (const action of ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"]) {
      if (!(await mayDo(role, `sqs:${action}`, EventSourceArn)))
        return `The provided execution role does not have permissions to call ${action} on SQS`;
    }
    return null;
  }
  for (const action of ["GetRecords", "GetShardIterator", "DescribeStream"]) {
    if (!(await mayDo(role, `dynamodb:${action}`, EventSourceArn)))
      return `Cannot access stream ${EventSourceArn}. Please ensure the role can perform the GetRecords, GetShardIterator, DescribeStream, and ListStreams Actions on your stream in IAM.`;
  }
  const failures = DestinationConfig?.OnFailure?.Destination;
  return failures === undefined || (await mayDo(role, "sqs:SendMessage", failures))
    ? null
    : `The provided execution role does not have permissions to call SendMessage on ${failures}`;
};

/**
 * A stage may set limits of routes that exist at that moment.
 * https://github.com/aws/serverless-application-model/issues/2479
 */
const refuseStage: Refusal = async ({ RouteSettings = {} }, { certain }) => {
  const routes = new Set(
    certain.flatMap(({ type, properties }) =>
      type === "AWS::ApiGatewayV2::Route" ? [properties.RouteKey] : [],
    ),
  );
  const absent = Object.keys(RouteSettings).find((key) => !routes.has(key));
  return absent === undefined
    ? null
    : `Unable to find Route by key ${absent} within the provided RouteSettings (Service: AmazonApiGatewayV2; Status Code: 404; Error Code: NotFoundException)`;
};

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html */
const refuseTable: Refusal = async ({ GlobalSecondaryIndexes = [] }, { before }) => {
  if (before === undefined) return null;
  const keyed = (indexes: Input[]) => new Map(indexes.map((one) => [one.IndexName, one]));
  const [now, then] = [keyed(GlobalSecondaryIndexes), keyed(before.GlobalSecondaryIndexes ?? [])];
  // An index whose keys or projection change is deleted and created.
  const changes = [...new Set([...now.keys(), ...then.keys()])].flatMap((name) => {
    if (!now.has(name) || !then.has(name)) return [name];
    return isDeepStrictEqual(now.get(name), then.get(name)) ? [] : [name, name];
  });
  return changes.length > 1
    ? "Cannot perform more than one GSI creation or deletion in a single update"
    : null;
};

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "AWS::ApiGatewayV2::Stage": refuseStage,
  "AWS::DynamoDB::Table": refuseTable,
  "AWS::Lambda::EventSourceMapping": refuseMapping,
  "AWS::Lambda::Function": refuseFunction,
};

/** Returns why a service refuses a new or changed resource; `null` if it does not. */
export const refusalOf = async (
  type: string,
  properties: Input,
  found: Surroundings,
): Promise<string | null> => (await REFUSALS[type]?.(properties, found)) ?? null;

/**
 * Returns why CloudFormation cannot change a resource in place; `"replace"` if it replaces it, and `null` if it can.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
 */
export const replacementOf = (type: string, before: Input, now: Input): string | null => {
  const { name, replacedBy = [] } = KINDS[type] ?? {};
  if (replacedBy.every((property) => isDeepStrictEqual(before[property], now[property]))) return null;
  const fixed = name === undefined ? undefined : now[name];
  return fixed !== undefined && before[name ?? ""] === fixed
    ? `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${fixed} and update the stack again.`
    : "replace";
};
