/** Faults of policies that are planted in a copy of the packaged templates, with what the judge must find. */
import type { Templates } from "./resolve.ts";
import type { Properties } from "./uses.ts";

type Plant = (templates: Templates) => unknown;
/** A fault, and everything that is found of it. */
type Fault = [plant: Plant, ...finds: string[]];

interface Statement {
  Effect: string;
  Action: string[];
  Resource: unknown;
  Condition?: unknown;
  Sid?: string;
}

const propertiesOf = (template: Templates["service"], name: string): Properties => {
  const found = template.Resources[name];
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.Properties;
};
const roleOf = ({ roles }: Templates, role: string) => propertiesOf(roles, `${role}Role`);
const policyOf = (templates: Templates, role: string): { Statement: Statement[] } =>
  roleOf(templates, role).Policies[0].PolicyDocument;

/** Changes the statement that has an action, and whose resource contains a text. */
const change =
  (role: string, action: string, resource: string, alter: (one: Statement) => unknown): Plant =>
  (templates) => {
    const found = policyOf(templates, role).Statement.filter(
      ({ Action, Resource }) => Action.includes(action) && JSON.stringify(Resource).includes(resource),
    );
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${role} has ${found.length} of ${action}`);
    alter(only);
  };
const remove = (role: string, action: string, resource: string): Plant =>
  change(role, action, resource, (one) => {
    one.Action = one.Action.filter((other) => other !== action);
  });
/** Changes the resource for which a role has an action. */
const move = (role: string, action: string, resource: string, to: unknown): Plant =>
  change(role, action, resource, (one) => {
    one.Resource = to;
  });
const add =
  (
    role: string,
    action: string,
    Resource: unknown = { Ref: "TableArn" },
    more: Partial<Statement> = {},
  ): Plant =>
  (templates) =>
    policyOf(templates, role).Statement.push({ Effect: "Allow", Action: [action], Resource, ...more });
/** Removes limits of statements, which are the only conditions of a role. */
const withoutLimit =
  (pattern: RegExp): Plant =>
  (templates) => {
    const policy = policyOf(templates, "InjectUnderscoresql");
    policy.Statement = policy.Statement.filter(
      ({ Condition = "" }) => !pattern.test(JSON.stringify(Condition)),
    );
  };
const set =
  (name: string, properties: Properties): Plant =>
  ({ service }) =>
    Object.assign(propertiesOf(service, name), properties);
const trust =
  (role: string, Principal: unknown): Plant =>
  (templates) =>
    Object.assign(roleOf(templates, role).AssumeRolePolicyDocument.Statement[0], { Principal });

const ARN = "eu-central-1:123456789012";
const TABLE = "table/zombie-game-spring";
const reads = (fault: string): string[] =>
  ["", "/index/gsi1", "/index/gsi2", "/index/gsi3"].map(
    (index) => `inject_sql may PartiQLSelect on ${TABLE}${index} ${fault}`,
  );
const statements = (fault: string): string[] => [
  ...reads(fault),
  ...["Insert", "Update", "Delete"].map((verb) => `inject_sql may PartiQL${verb} on ${TABLE} ${fault}`),
];
const vapid = (stage: string): string => `parameter/zombie-game/${stage}/vapid-keys`;

const RULE = "rule/zombie-game-spring-sweep";
const SWEEP = "function:zombie-game-spring-sweep";
const MISSED = "zombie-game-spring-missed-sweeps";
const PERMISSION = "SweepLambdaPermissionEventsRuleSchedule1";
const strangersMay = (what: string, rule = RULE): string[] =>
  ["", " for rule/other", ` for arn:aws:events:eu-central-1:999999999999:${rule}`].map(
    (source) => `events.amazonaws.com${source} may ${what}`,
  );

/** Faults that are planted together. */
const FIRST: Fault[] = [
  // What AWS does for the service.
  [
    remove("Announce", "sqs:SendMessage", "PassedOver"),
    "announce lacks sqs:SendMessage on zombie-game-spring-passed-over",
  ],
  [remove("Announce", "dynamodb:ListStreams", "*"), "announce lacks dynamodb:ListStreams on *"],
  [
    remove("Deliver", "sqs:DeleteMessage", "Queue"),
    "deliver lacks sqs:DeleteMessage on zombie-game-spring-push",
  ],
  [remove("Sweep", "sqs:SendMessage", "MissedSweeps"), `sweep lacks sqs:SendMessage on ${MISSED}`],
  [
    remove("Health", "logs:PutLogEvents", "Logs"),
    "health lacks logs:PutLogEvents on log-group:/aws/lambda/zombie-game-spring:log-stream:2026/01/31/[$LATEST]0",
  ],
  // What the code does, and what it does not do.
  [remove("Hunt", "dynamodb:PutItem", "Table"), `hunt lacks dynamodb:PutItem on ${TABLE}`],
  [add("Hunt", "dynamodb:GetItem", "*"), "hunt may dynamodb:GetItem on *"],
  [add("Hunt", "dynamodb:Query", { "Fn::Sub": `\${TableArn}*` }), `hunt may dynamodb:Query on ${TABLE}*`],
  [
    move("Deliver", "ssm:GetParameter", "vapid", `arn:aws:ssm:${ARN}:${vapid("autumn")}`),
    `deliver lacks ssm:GetParameter on ${vapid("spring")}`,
    `deliver may ssm:GetParameter on ${vapid("autumn")}`,
  ],
  [
    add("Hunt", "ssm:GetParameter", `arn:aws:ssm:${ARN}:${vapid("spring")}`),
    `hunt may ssm:GetParameter on ${vapid("spring")}`,
  ],
  [add("Hunt", "iam:PassRole", "*"), "hunt may iam:PassRole on *"],
  [
    move("HttpApi", "lambda:InvokeFunction", "", `arn:aws:lambda:${ARN}:function:zombie-game-*`),
    "the API may lambda:InvokeFunction on function:zombie-game-*",
  ],
  // The form of policies.
  [add("Hunt", "sqs:*", "*"), "hunt may sqs:*, which is not a single action"],
  [add("Feed", "dynamodb:GetItems"), "feed has a fault in a policy: dynamodb:GetItems: invalid.action"],
  [add("Hunt", "dynamodb:UpdateItem", undefined, { Sid: "Update" }), "hunt has a Sid"],
  [
    add("Hunt", "dynamodb:DeleteItem", undefined, { Condition: { Bool: { "aws:SecureTransport": "true" } } }),
    "hunt has a condition on dynamodb:DeleteItem",
  ],
  [
    (templates) => Object.assign(roleOf(templates, "Hunt"), { ManagedPolicyArns: [] }),
    "hunt has ManagedPolicyArns",
  ],
  // Who has a role.
  [
    trust("Hunt", { Service: "ec2.amazonaws.com" }),
    "hunt has a role that lambda.amazonaws.com may not assume",
    "hunt has a role that ec2.amazonaws.com may assume",
  ],
  [
    trust("HttpApi", "*"),
    ...["lambda.amazonaws.com", "events.amazonaws.com", "ec2.amazonaws.com"].map(
      (service) => `the API has a role that ${service} may assume`,
    ),
    "the API has a role that arn:aws:iam::999999999999:root may assume",
    "the API has a role that arn:aws:iam::123456789012:role/caller may assume",
  ],
  [
    set("CureLambdaFunction", { Role: { "Fn::GetAtt": ["Roles", "Outputs.CorpsifyRole"] } }),
    "corpsify and cure share a role",
    "arn:aws:iam::123456789012:role/zombie-game-CureRole-1A2B3C has no user",
  ],
  [set("HttpApiIntegrationHealth", { CredentialsArn: undefined }), "the API has no role"],
  // What statements may name.
  [withoutLimit(/ForAnyValue/), ...statements("of a secret among others")],
  // What other services may do.
  [
    set(PERMISSION, { SourceArn: `arn:aws:events:${ARN}:rule/old` }),
    `${RULE} lacks lambda:InvokeFunction on ${SWEEP}`,
  ],
  [
    ({ service }) => delete service.Resources.MissedSweepsPolicy,
    `${RULE} lacks sqs:SendMessage on ${MISSED}`,
  ],
  [
    ({ service }) => {
      propertiesOf(service, "AlarmsPolicy").PolicyDocument.Statement[0].Action = "sns:GetTopicAttributes";
    },
    "123456789012 lacks sns:Publish on zombie-game-spring-alarms",
  ],
];
/** Faults in the same places. */
const SECOND: Fault[] = [
  [
    withoutLimit(/ForAllValues|Scan/),
    ...["of no named partition", "of an empty list of partitions"].flatMap(statements),
    ...reads("that scans"),
  ],
  [set(PERMISSION, { SourceArn: undefined }), ...strangersMay(`lambda:InvokeFunction on ${SWEEP}`)],
  [
    ({ service }) => delete propertiesOf(service, "MissedSweepsPolicy").PolicyDocument.Statement[0].Condition,
    ...strangersMay(`sqs:SendMessage on ${MISSED}`),
  ],
  [
    ({ service }) => {
      const [, ofRules] = propertiesOf(service, "AlarmsPolicy").PolicyDocument.Statement;
      ofRules.Action = ["sns:Publish", "sns:Subscribe"];
    },
    "events.amazonaws.com for rule/unnamed may sns:Subscribe on zombie-game-spring-alarms",
    ...strangersMay("sns:Subscribe on zombie-game-spring-alarms", "rule/unnamed"),
  ],
];

export const FAULTS = [FIRST, SECOND];
