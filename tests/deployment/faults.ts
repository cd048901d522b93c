/** Faults of policies that are planted in a copy of the packaged templates, with what the judge must find. */
import type { Templates } from "./resolve.ts";
import type { Properties } from "./uses.ts";

interface Fault {
  plant: (templates: Templates) => unknown;
  finds: string[];
  /** Whether more is found than is listed. */
  andMore?: boolean;
}

interface Statement {
  Effect: string;
  Action: string[];
  Resource: unknown;
  Condition?: unknown;
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
  (role: string, action: string, resource: string, alter: (one: Statement) => unknown) =>
  (templates: Templates) => {
    const found = policyOf(templates, role).Statement.filter(
      ({ Action, Resource }) => Action.includes(action) && JSON.stringify(Resource).includes(resource),
    );
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${role} has ${found.length} of ${action}`);
    alter(only);
  };
const remove = (role: string, action: string, resource: string) =>
  change(role, action, resource, (one) => {
    one.Action = one.Action.filter((other) => other !== action);
  });
/** Changes the resource for which a role has an action. */
const move = (role: string, action: string, resource: string, to: unknown) =>
  change(role, action, resource, (one) => {
    one.Resource = to;
  });
const add =
  (role: string, Action: string[], Resource: unknown = { Ref: "TableArn" }) =>
  (templates: Templates) =>
    policyOf(templates, role).Statement.push({ Effect: "Allow", Action, Resource });

/** Changes the limits of statements, which are the only conditions of a role. */
const limit =
  (pattern: RegExp, alter: (one: Statement) => Partial<Statement>[]) => (templates: Templates) => {
    const policy = policyOf(templates, "InjectUnderscoresql");
    const altered = policy.Statement.flatMap((one): Partial<Statement>[] =>
      pattern.test(JSON.stringify(one.Condition ?? "")) ? alter(one) : [one],
    );
    Object.assign(policy, { Statement: altered });
  };
const withoutLimit = (pattern: RegExp) => limit(pattern, () => []);
const set = (name: string, properties: Properties) => (templates: Templates) =>
  Object.assign(propertiesOf(templates.service, name), properties);

const ARN = "eu-central-1:123456789012";
const TABLE = "table/zombie-game-spring";
const INDEXES = ["gsi1", "gsi2", "gsi3"].map((index) => `${TABLE}/index/${index}`);
const reads = (fault: string): string[] =>
  [TABLE, ...INDEXES].map((place) => `inject_sql may PartiQLSelect on ${place} ${fault}`);
const statements = (fault: string): string[] => [
  ...reads(fault),
  ...["Insert", "Update", "Delete"].map((verb) => `inject_sql may PartiQL${verb} on ${TABLE} ${fault}`),
];
const UNNAMED = ["of no named partition", "of an empty list of partitions"];

const RULE = "rule/zombie-game-spring-sweep";
const SWEEP = "function:zombie-game-spring-sweep";
const MISSED = "zombie-game-spring-missed-sweeps";
const PERMISSION = "SweepLambdaPermissionEventsRuleSchedule1";
const strangersMay = (what: string): string[] =>
  ["", " for rule/other", ` for arn:aws:events:eu-central-1:999999999999:${RULE}`].map(
    (source) => `events.amazonaws.com${source} may ${what}`,
  );

/** By the fault. */
export const FAULTS: Record<string, Fault> = {
  "failures of the stream cannot be kept": {
    plant: remove("Announce", "sqs:SendMessage", "PassedOver"),
    finds: ["announce lacks sqs:SendMessage on zombie-game-spring-passed-over"],
  },
  "the stream cannot be found": {
    plant: remove("Announce", "dynamodb:ListStreams", "*"),
    finds: ["announce lacks dynamodb:ListStreams on *"],
  },
  "messages cannot be deleted": {
    plant: remove("Deliver", "sqs:DeleteMessage", "Queue"),
    finds: ["deliver lacks sqs:DeleteMessage on zombie-game-spring-push"],
  },
  "failed sweeps cannot be kept": {
    plant: remove("Sweep", "sqs:SendMessage", "MissedSweeps"),
    finds: [`sweep lacks sqs:SendMessage on ${MISSED}`],
  },
  "a function cannot write its log": {
    plant: remove("Health", "logs:PutLogEvents", "Logs"),
    finds: [
      "health lacks logs:PutLogEvents on log-group:/aws/lambda/zombie-game-spring:log-stream:2026/01/31/[$LATEST]0",
    ],
  },
  "a function cannot do what its code does": {
    plant: remove("Hunt", "dynamodb:PutItem", "Table"),
    finds: [`hunt lacks dynamodb:PutItem on ${TABLE}`],
  },

  "statements may name secrets": {
    plant: withoutLimit(/SECRET/),
    finds: ["of a secret", "of a secret among others", ...UNNAMED].flatMap(statements),
  },
  "statements may name a secret among others": {
    plant: withoutLimit(/ForAnyValue/),
    finds: statements("of a secret among others"),
  },
  "statements may name no partition": {
    plant: withoutLimit(/ForAllValues/),
    finds: UNNAMED.flatMap(statements),
  },
  "statements may scan": { plant: withoutLimit(/Scan/), finds: reads("that scans") },
  "limits of statements omit an index": {
    plant: limit(/\{/, (one) => [
      {
        ...one,
        Resource: [
          { Ref: "TableArn" },
          ...["gsi1", "gsi3"].map((i) => ({ "Fn::Sub": `\${TableArn}/index/${i}` })),
        ],
      },
    ]),
    finds: ["of a secret", "of a secret among others", "that scans", ...UNNAMED].map(
      (fault) => `inject_sql may PartiQLSelect on ${TABLE}/index/gsi2 ${fault}`,
    ),
  },
  "limits of statements are misspelled": {
    plant: limit(/SECRET/, ({ Condition, ...one }) => [{ ...one, ...{ Conditions: Condition } }]),
    finds: ["inject_sql has a Conditions", `inject_sql lacks dynamodb:GetItem on ${TABLE}`],
    andMore: true,
  },

  "a right on all resources": {
    plant: move("Hunt", "dynamodb:PutItem", "Table", "*"),
    finds: [
      "hunt may dynamodb:PutItem on *",
      "hunt may dynamodb:PutItem elsewhere, on table/zombie-game-autumn",
    ],
    andMore: true,
  },
  "a right on names that begin as the table's does": {
    plant: move("Hunt", "dynamodb:PutItem", "Table", { "Fn::Sub": `\${TableArn}*` }),
    finds: [`hunt may dynamodb:PutItem on ${TABLE}*`, `hunt may dynamodb:PutItem elsewhere, on ${TABLE}x`],
    andMore: true,
  },
  "a right on another stage's table": {
    plant: move("Hunt", "dynamodb:PutItem", "Table", `arn:aws:dynamodb:${ARN}:table/zombie-game-autumn`),
    finds: [
      `hunt lacks dynamodb:PutItem on ${TABLE}`,
      "hunt may dynamodb:PutItem on table/zombie-game-autumn",
    ],
    andMore: true,
  },
  "a right on another stage's parameter": {
    plant: move(
      "Deliver",
      "ssm:GetParameter",
      "vapid",
      `arn:aws:ssm:${ARN}:parameter/zombie-game/autumn/vapid-keys`,
    ),
    finds: [
      "deliver lacks ssm:GetParameter on parameter/zombie-game/spring/vapid-keys",
      "deliver may ssm:GetParameter on parameter/zombie-game/autumn/vapid-keys",
      "deliver may ssm:GetParameter elsewhere, on parameter/zombie-game/autumn/vapid-keys",
    ],
  },
  "a right of another function": {
    plant: add("Hunt", ["ssm:GetParameter"], `arn:aws:ssm:${ARN}:parameter/zombie-game/spring/vapid-keys`),
    finds: ["hunt may ssm:GetParameter on parameter/zombie-game/spring/vapid-keys"],
  },
  "rights that no function may have": {
    plant: add("Hunt", ["dynamodb:Scan", "dynamodb:DeleteTable", "dynamodb:PartiQLSelect"]),
    finds: [
      ...["dynamodb:Scan", "dynamodb:DeleteTable", "dynamodb:PartiQLSelect"].map(
        (right) => `hunt may ${right} on ${TABLE}`,
      ),
      ...["of a secret", "of a secret among others", "that scans", ...UNNAMED].map(
        (fault) => `hunt may PartiQLSelect on ${TABLE} ${fault}`,
      ),
    ],
  },
  "rights of an administrator": {
    plant: add("Hunt", ["iam:PassRole", "sts:AssumeRole", "lambda:InvokeFunction"], "*"),
    finds: ["iam:PassRole", "sts:AssumeRole", "lambda:InvokeFunction"].map(
      (right) => `hunt may ${right} on *`,
    ),
  },
  "all actions on the table": {
    plant: add("Hunt", ["dynamodb:*"]),
    finds: [
      "hunt may dynamodb:*, which is not a single action",
      `hunt may dynamodb:DeleteTable on ${TABLE}`,
      `hunt may PartiQLSelect on ${TABLE} of a secret`,
    ],
    andMore: true,
  },
  "an action that AWS does not have": {
    plant: add("Hunt", ["dynamodb:GetItems"]),
    finds: ["hunt has a fault in a policy: dynamodb:GetItems: invalid.action"],
  },
  "a managed policy": {
    plant: (templates) =>
      Object.assign(roleOf(templates, "Hunt"), {
        ManagedPolicyArns: ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
      }),
    finds: ["hunt has ManagedPolicyArns"],
  },
  "a role for another service": {
    plant: (templates) =>
      Object.assign(roleOf(templates, "Hunt").AssumeRolePolicyDocument.Statement[0].Principal, {
        Service: "ec2.amazonaws.com",
      }),
    finds: [
      "hunt has a role that lambda.amazonaws.com may not assume",
      "hunt has a role that ec2.amazonaws.com may assume",
    ],
  },
  "a role that everybody can assume": {
    plant: (templates) =>
      Object.assign(roleOf(templates, "HttpApi").AssumeRolePolicyDocument.Statement[0], { Principal: "*" }),
    finds: ["the API has a role that arn:aws:iam::999999999999:root may assume"],
    andMore: true,
  },
  "two functions with one role": {
    plant: set("HuntLambdaFunction", { Role: { "Fn::GetAtt": ["Roles", "Outputs.FeedRole"] } }),
    finds: [
      "feed and hunt share a role",
      "arn:aws:iam::123456789012:role/zombie-game-HuntRole-1A2B3C has no user",
    ],
  },
  "roles for another queue": {
    plant: (templates) =>
      Object.assign(propertiesOf(templates.service, "Roles").Parameters, {
        QueueArn: { "Fn::GetAtt": ["DeadLetters", "Arn"] },
      }),
    finds: [
      "feed lacks sqs:SendMessage on zombie-game-spring-push",
      "deliver lacks sqs:ReceiveMessage on zombie-game-spring-push",
      "deliver may sqs:ReceiveMessage on zombie-game-spring-push-dead-letters",
    ],
    andMore: true,
  },

  "the API cannot invoke all functions": {
    plant: move(
      "HttpApi",
      "lambda:InvokeFunction",
      "",
      `arn:aws:lambda:${ARN}:function:zombie-game-spring-h*`,
    ),
    finds: ["the API lacks lambda:InvokeFunction on function:zombie-game-spring-new"],
    andMore: true,
  },
  "the API can invoke functions of other stages": {
    plant: move("HttpApi", "lambda:InvokeFunction", "", `arn:aws:lambda:${ARN}:function:zombie-game-*`),
    finds: [
      "the API may lambda:InvokeFunction on function:zombie-game-*",
      "the API may lambda:InvokeFunction elsewhere, on function:zombie-game-autumn-new",
    ],
    andMore: true,
  },
  "an endpoint that names no role": {
    plant: set("HttpApiIntegrationHealth", { CredentialsArn: undefined }),
    finds: ["the API has no role"],
  },
  "the schedule cannot start the sweep": {
    plant: set(PERMISSION, { SourceArn: `arn:aws:events:${ARN}:rule/old` }),
    finds: [`${RULE} lacks lambda:InvokeFunction on ${SWEEP}`],
  },
  "every rule can start the sweep": {
    plant: set(PERMISSION, { SourceArn: undefined }),
    finds: strangersMay(`lambda:InvokeFunction on ${SWEEP}`),
  },
  "the schedule cannot keep what it could not start": {
    plant: ({ service }) => delete service.Resources.MissedSweepsPolicy,
    finds: [`${RULE} lacks sqs:SendMessage on ${MISSED}`],
  },
  "every rule can write to the queue of missed sweeps": {
    plant: (templates) =>
      delete propertiesOf(templates.service, "MissedSweepsPolicy").PolicyDocument.Statement[0].Condition,
    finds: strangersMay(`sqs:SendMessage on ${MISSED}`),
  },
  "alarms cannot send mail, and anybody may subscribe": {
    plant: (templates) => {
      const [ofAlarms, ofRules] = propertiesOf(templates.service, "AlarmsPolicy").PolicyDocument.Statement;
      ofAlarms.Action = "sns:GetTopicAttributes";
      ofRules.Action = ["sns:Publish", "sns:Subscribe"];
    },
    finds: [
      "123456789012 lacks sns:Publish on zombie-game-spring-alarms",
      "events.amazonaws.com may sns:Subscribe on zombie-game-spring-alarms",
    ],
    andMore: true,
  },
};
