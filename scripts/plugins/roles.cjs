/**
 * Serverless plugin: creates a role for each function with the permissions of the function's `allows`, of its event
 * sources, and of its own log (docs/decisions/0023-roles.md). The roles are in a nested stack, with one by which the API
 * invokes the functions, because a stack has at most 500 resources (docs/decisions/0072-nested-stack-of-roles.md).
 */
const { createHash } = require("node:crypto");
const { mkdir, readFile, writeFile } = require("node:fs/promises");
const { join } = require("node:path");

// Parameters are encrypted with the AWS managed key, which needs no further permission.
const parameter = (name) => ({
  service: "ssm",
  arnAt: (parameters) => ({
    "Fn::Sub": `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${parameters}/${name}`,
  }),
});

const index = (name) => ({ service: "dynamodb", arn: { "Fn::Sub": `\${Table.Arn}/index/${name}` } });

const PLACES = {
  table: { service: "dynamodb", arn: { "Fn::GetAtt": ["Table", "Arn"] } },
  gsi1: index("gsi1"),
  gsi2: index("gsi2"),
  gsi3: index("gsi3"),
  cursor_keys: parameter("cursor-keys"),
  vapid_keys: parameter("vapid-keys"),
  mail_keys: parameter("mail-keys"),
  mail_url: parameter("mail-url"),
  queue: { service: "sqs", arn: { "Fn::GetAtt": ["Queue", "Arn"] } },
};

/** The log group with all its streams. */
const LOG = { "Fn::GetAtt": ["Logs", "Arn"] };

const ALLOWS = {
  type: "object",
  properties: Object.fromEntries(
    Object.keys(PLACES).map((place) => [place, { type: "array", items: { type: "string" }, minItems: 1 }]),
  ),
  additionalProperties: false,
};

const allow = (Action, Resource) => ({ Effect: "Allow", Action, Resource });

const statementsOf = (allows, parameters) =>
  Object.entries(allows).map(([place, actions]) => {
    const { service, arn, arnAt } = PLACES[place];
    return allow(
      actions.map((action) => `${service}:${action}`),
      arn ?? arnAt(parameters),
    );
  });

/** The permissions to read the function's event sources and to send failed events to a queue. */
const eventStatements = ({ events, destinations }) => [
  ...events.flatMap(({ sqs, stream }) => [
    ...(sqs ? [allow(["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], sqs.arn)] : []),
    ...(stream
      ? [
          allow(["dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"], stream.arn),
          // ListStreams does not support resource-level permissions.
          allow(["dynamodb:ListStreams"], "*"),
          allow(["sqs:SendMessage"], stream.destinations.onFailure.arn),
        ]
      : []),
  ]),
  ...(destinations ? [allow(["sqs:SendMessage"], destinations.onFailure.arn)] : []),
];

/**
 * Denies PartiQL statements that scan, name a partition of secrets, or name no partition. The code enforces this too.
 * A condition with `ForAnyValue` is not met without the key, and one with `ForAllValues` is:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const statementLimits = (allows) => {
  const actions = Object.values(allows).flat();
  if (!actions.some((action) => action.startsWith("PartiQL"))) return [];
  const secrets = { "dynamodb:LeadingKeys": ["SECRET#*"] };
  return [
    { "ForAnyValue:StringLike": secrets },
    { "ForAllValues:StringLike": secrets },
    { Bool: { "dynamodb:FullTableScan": "true" } },
  ].map((Condition) => ({ Effect: "Deny", Action: ["dynamodb:PartiQL*"], Resource: "*", Condition }));
};

const together = (one, other) =>
  Object.entries(other).reduce(
    (all, [place, actions]) => Object.assign(all, { [place]: [...(all[place] ?? []), ...actions] }),
    { ...one },
  );

const roleOf = (Service, Statement) => ({
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service }, Action: "sts:AssumeRole" }],
    },
    Policies: [{ PolicyName: "function", PolicyDocument: { Version: "2012-10-17", Statement } }],
  },
});

/** Replaces references to resources of the service's stack by parameters, whose values are added to `parameters`. */
const withParameters = (value, parameters) => {
  const refer = (resource, attribute) => {
    const name = `${resource}${attribute}`;
    parameters[name] = { "Fn::GetAtt": [resource, attribute] };
    return name;
  };
  if (Array.isArray(value)) return value.map((one) => withParameters(one, parameters));
  if (typeof value !== "object" || value === null) return value;
  if (value["Fn::GetAtt"] !== undefined) return { Ref: refer(...value["Fn::GetAtt"]) };
  if (value["Fn::Sub"] !== undefined) {
    const text = value["Fn::Sub"].replaceAll(
      /\$\{(\w+)\.(\w+)\}/g,
      (_, ...names) => `\${${refer(...names)}}`,
    );
    return { "Fn::Sub": text };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withParameters(inner, parameters)]),
  );
};

/** The logical id of the nested stack, and the file with its template in a package. */
const STACK = "Roles";
const FILE = "roles-template.json";
const API_ROLE = "HttpApiRole";

const outputOf = (role) => ({ "Fn::GetAtt": [STACK, `Outputs.${role}`] });

module.exports = class Roles {
  constructor(serverless, options) {
    this.serverless = serverless;
    this.options = options;
    // `allows` lists actions by resource: the table, its indexes, the queue and the keys. `allowsWithWrites` is added
    // if INJECT_SQL_WRITES is set.
    serverless.configSchemaHandler.defineFunctionProperties("aws", {
      properties: { allows: ALLOWS, allowsWithWrites: ALLOWS },
    });
    this.hooks = {
      "before:package:setupProviderConfiguration": () => this.name(),
      "before:package:compileFunctions": () => this.make(),
      "after:package:compileEvents": () => this.useRoles(),
      "after:aws:deploy:deploy:uploadArtifacts": () => this.upload(),
    };
  }

  get resources() {
    return this.serverless.service.provider.compiledCloudFormationTemplate.Resources;
  }

  get functions() {
    const { service } = this.serverless;
    const { naming } = this.serverless.getProvider("aws");
    return service.getAllFunctions().map((name) => ({
      definition: service.getFunction(name),
      role: `${naming.getNormalizedFunctionName(name)}Role`,
    }));
  }

  /** The key of the nested template. It is named by its content, so that the stack changes only if the roles do. */
  keyOf(template) {
    const provider = this.serverless.getProvider("aws");
    const hash = createHash("sha256").update(template).digest("hex").slice(0, 32);
    const { service } = this.serverless.service;
    return `${provider.getDeploymentPrefix()}/${service}/${provider.getStage()}/roles-${hash}.json`;
  }

  /** Runs before the framework creates a default role and a log for each function; all functions share one log. */
  name() {
    for (const { definition, role } of this.functions)
      Object.assign(definition, { role: outputOf(role), disableLogs: true });
  }

  async make() {
    const { service, serviceDir } = this.serverless;
    const mayWrite = service.custom.settings.injectSqlWrites === "true";
    const Resources = {
      // The policy names the functions by their prefix, because a role has no room for the names of all.
      [API_ROLE]: roleOf("apigateway.amazonaws.com", [
        allow(["lambda:InvokeFunction"], {
          "Fn::Sub": `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${service.custom.table}-*`,
        }),
      ]),
    };
    for (const { definition, role } of this.functions) {
      const { allows = {}, allowsWithWrites = {} } = definition;
      const allowed = mayWrite ? together(allows, allowsWithWrites) : allows;
      Resources[role] = roleOf("lambda.amazonaws.com", [
        allow(["logs:CreateLogStream", "logs:PutLogEvents"], LOG),
        ...statementsOf(allowed, service.custom.parameters),
        ...eventStatements(definition),
        ...statementLimits(allowed),
      ]);
    }
    const parameters = {};
    const nested = {
      AWSTemplateFormatVersion: "2010-09-09",
      Resources: withParameters(Resources, parameters),
      Parameters: Object.fromEntries(Object.keys(parameters).map((name) => [name, { Type: "String" }])),
      Outputs: Object.fromEntries(
        Object.keys(Resources).map((role) => [role, { Value: { "Fn::GetAtt": [role, "Arn"] } }]),
      ),
    };
    const template = JSON.stringify(nested);
    const folder = join(serviceDir, ".serverless");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, FILE), template);
    const place = `https://\${ServerlessDeploymentBucket}.s3.\${AWS::Region}.\${AWS::URLSuffix}/`;
    this.resources[STACK] = {
      Type: "AWS::CloudFormation::Stack",
      Properties: { TemplateURL: { "Fn::Sub": `${place}${this.keyOf(template)}` }, Parameters: parameters },
    };
  }

  /**
   * Has the API assume one role to invoke any function, in place of a permission for each function, and event sources
   * wait for the nested stack: the framework lets them wait for a default role, which does not exist.
   */
  useRoles() {
    for (const [name, resource] of Object.entries(this.resources)) {
      const { Type, Properties } = resource;
      if (Type === "AWS::Lambda::EventSourceMapping") resource.DependsOn = [STACK];
      if (Type === "AWS::ApiGatewayV2::Integration") Properties.CredentialsArn = outputOf(API_ROLE);
      if (Type === "AWS::Lambda::Permission" && Properties.Principal === "apigateway.amazonaws.com")
        delete this.resources[name];
    }
  }

  /** Uploads the nested template, before CloudFormation reads it. */
  async upload() {
    const { service, serviceDir } = this.serverless;
    if (service.provider.shouldNotDeploy) return;
    const provider = this.serverless.getProvider("aws");
    const { PutObjectCommand, S3Client } = require("@aws-sdk/client-s3");
    const folder = this.options.package ?? service.package.path ?? join(serviceDir, ".serverless");
    const Body = await readFile(join(folder, FILE), "utf8");
    const client = new S3Client(await provider.getAwsSdkV3Config());
    const Bucket = await provider.getServerlessDeploymentBucketName();
    await client.send(
      new PutObjectCommand({ Bucket, Key: this.keyOf(Body), Body, ContentType: "application/json" }),
    );
  }
};
