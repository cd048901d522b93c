/**
 * Serverless plugin: creates a role for each function with the permissions of the function's `allows`, of its event
 * sources, and of its own log (docs/decisions/0023-roles.md).
 */
// Parameters are encrypted with the AWS managed key, which needs no further permission.
const parameter = (name) => ({
  service: "ssm",
  arnAt: (parameters) => ({
    "Fn::Sub": `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${parameters}/${name}`,
  }),
});

const PLACES = {
  table: { service: "dynamodb", arn: { "Fn::GetAtt": ["Table", "Arn"] } },
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's own
  gsi1: { service: "dynamodb", arn: { "Fn::Sub": "${Table.Arn}/index/gsi1" } },
  gsi2: { service: "dynamodb", arn: { "Fn::Sub": "${Table.Arn}/index/gsi2" } },
  gsi3: { service: "dynamodb", arn: { "Fn::Sub": "${Table.Arn}/index/gsi3" } },
  cursor_keys: parameter("cursor-keys"),
  vapid_keys: parameter("vapid-keys"),
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's own
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

/** What Lambda needs to read the function's event sources and to send failed events to a queue. */
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

/** Denies PartiQL statements that scan or read secrets. The code enforces this too. */
const statementLimits = (allows) => {
  if (
    !Object.values(allows)
      .flat()
      .some((action) => action.startsWith("PartiQL"))
  )
    return [];
  const everywhere = Object.values(PLACES).flatMap(({ service, arn }) =>
    service === "dynamodb" ? [arn] : [],
  );
  const deny = (Condition) => ({
    Effect: "Deny",
    Action: ["dynamodb:PartiQL*"],
    Resource: everywhere,
    Condition,
  });
  return [
    deny({ "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": ["SECRET#*"] } }),
    deny({ Bool: { "dynamodb:FullTableScan": "true" } }),
  ];
};

const together = (one, other) =>
  Object.entries(other).reduce(
    (all, [place, actions]) => Object.assign(all, { [place]: [...(all[place] ?? []), ...actions] }),
    { ...one },
  );

module.exports = class Roles {
  constructor(serverless) {
    this.serverless = serverless;
    // `allows` lists actions by resource: the table, its indexes, the queue and the keys. `allowsWithWrites` is added
    // if INJECT_SQL_WRITES is set.
    serverless.configSchemaHandler.defineFunctionProperties("aws", {
      properties: { allows: ALLOWS, allowsWithWrites: ALLOWS },
    });
    this.hooks = {
      "before:package:setupProviderConfiguration": () => this.name(),
      "before:package:compileFunctions": () => this.make(),
    };
  }

  get functions() {
    const { service } = this.serverless;
    const { naming } = this.serverless.getProvider("aws");
    return service.getAllFunctions().map((name) => ({
      definition: service.getFunction(name),
      role: `${naming.getNormalizedFunctionName(name)}Role`,
    }));
  }

  /** Runs before the framework creates a default role and a log for each function; all functions share one log. */
  name() {
    for (const { definition, role } of this.functions) Object.assign(definition, { role, disableLogs: true });
  }

  make() {
    const { service } = this.serverless;
    const mayWrite = service.custom.settings.injectSqlWrites === "true";
    for (const { definition, role } of this.functions) {
      const { allows = {}, allowsWithWrites = {} } = definition;
      const allowed = mayWrite ? together(allows, allowsWithWrites) : allows;
      service.provider.compiledCloudFormationTemplate.Resources[role] = {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: {
            Version: "2012-10-17",
            Statement: [
              { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
            ],
          },
          Policies: [
            {
              PolicyName: "function",
              PolicyDocument: {
                Version: "2012-10-17",
                Statement: [
                  allow(["logs:CreateLogStream", "logs:PutLogEvents"], LOG),
                  ...statementsOf(allowed, service.custom.parameters),
                  ...eventStatements(definition),
                  ...statementLimits(allowed),
                ],
              },
            },
          ],
        },
      };
    }
  }
};
