/** Finds what the roles and the policies of queues and functions in packaged templates allow too little or too much. */
import { ACCOUNT, arnIn, openTemplates, type Templates } from "./resolve.ts";
import { CALLER, type Context, type Policies, type Request, simulate } from "./simulate.ts";
import {
  type CallsOf,
  GATEWAY,
  LAMBDA,
  listOf,
  type Properties,
  resourcePoliciesIn,
  type Use,
  usesIn,
} from "./uses.ts";

/**
 * - `lacks`: a request is denied that the code sends, or AWS on behalf of the service.
 * - `unused`: a right that nobody uses.
 * - `forbidden`: what no policy may say.
 */
export interface Finding {
  kind: "lacks" | "unused" | "forbidden";
  text: string;
}

const VERBS = ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"];
const isStatement = (action: string): boolean => action.startsWith("dynamodb:PartiQL");

const KEYS = "dynamodb:LeadingKeys";
const SCANS = "dynamodb:FullTableScan";

/** The context keys of permitted requests. Only statements are kept from secrets: sessions are read as items. */
const contextsOf = (action: string): [Context, ...Context[]] => {
  if (!isStatement(action)) return [{ [KEYS]: ["SECRET#1"] }];
  const keys = { [KEYS]: ["GAME", "ROSTER#0"] };
  // Whether AWS says of a request that it does not scan, or says nothing, must not matter.
  return [{ ...keys, [SCANS]: "false" }, keys];
};

const SCAN = "that scans";
/** Statements that must be denied, by what is wrong with them. */
const BAD_STATEMENTS = {
  "of a secret": { [KEYS]: ["SECRET#1"], [SCANS]: "false" },
  "of a secret among others": { [KEYS]: ["GAME", "SECRET#1", "ROSTER#0"], [SCANS]: "false" },
  "of no named partition": { [SCANS]: "false" },
  "of an empty list of partitions": { [KEYS]: [], [SCANS]: "false" },
  // Only SELECT can.
  [SCAN]: { [KEYS]: ["GAME"], [SCANS]: "true" },
};

const EVENTS = "events.amazonaws.com";
const ALARMS = "cloudwatch.amazonaws.com";
const ELSEWHERE = "999999999999";
const STRANGERS = [`arn:aws:iam::${ELSEWHERE}:root`, CALLER];
const EVERYTHING = { Version: "2012-10-17", Statement: { Effect: "Allow", Action: "*", Resource: "*" } };
/** The own policies of a principal that may do everything, as far as these are concerned; services have none. */
const own = (principal: string): Policies => ({
  ofPrincipal: principal.startsWith("arn:") ? [EVERYTHING] : [],
});

/** An ARN without what is the same for all resources of the account. */
const short = (arn: string): string => arn.replace(new RegExp(`^${arnIn("[a-z]+", "")}`), "");

/** Finds what is wrong with one role. */
const judgeRole = async (use: Use, properties: Properties, tables: readonly string[]): Promise<Finding[]> => {
  const { user, by, role, rights } = use;
  const { AssumeRolePolicyDocument: trust, Policies: inline = [], ...more } = properties;
  const documents: Properties[] = inline.map(({ PolicyDocument }: Properties) => PolicyDocument);
  const statements = documents
    .flatMap(({ Statement }) => listOf(Statement))
    .map((one): Properties => Object(one));
  const named = statements
    .flatMap(({ Effect, Action }) => (Effect === "Allow" ? listOf(Action) : []))
    .map(String);
  const isPattern = (action: string) => /[*?]/.test(action);

  const findings: Finding[] = [];
  const find = (kind: Finding["kind"], text: string) => findings.push({ kind, text: `${user} ${text}` });
  const ask = async (request: Request, policies: Policies = { ofPrincipal: documents }) => {
    const { allowed, error } = await simulate(policies, request);
    if (error !== null) find("forbidden", `has a fault in a policy: ${error}`);
    return allowed;
  };
  const isAllowed = async (action: string, resource: string, context: Context) =>
    (await ask({ action, resource, context })).length > 0;

  const judgeForm = () => {
    for (const name of Object.keys(more)) find("forbidden", `has ${name}`);
    for (const { Effect, Action, Resource, Condition, ...unusual } of statements) {
      for (const name of Object.keys(unusual)) find("forbidden", `has a ${name}`);
      // A right that depends on a condition would not be found by the questions about all resources.
      if (Effect === "Allow" && Condition !== undefined) find("forbidden", `has a condition on ${Action}`);
    }
    for (const action of named.filter(isPattern))
      find("forbidden", `may ${action}, which is not a single action`);
  };

  const judgeRights = async () => {
    for (const { action, resource } of rights)
      for (const context of contextsOf(action))
        if (!(await isAllowed(action, resource, context)))
          find("lacks", `lacks ${action} on ${short(resource)}`);
  };

  /** A resource must be granted exactly as it is used, so nothing of another stage or with a longer name is. */
  const judgeOthers = async () => {
    for (const action of new Set(named.filter((one) => !isPattern(one)))) {
      const used = rights
        .filter((right) => right.action === action)
        .map(({ resource, grantedAs }) => grantedAs ?? resource);
      const [context] = contextsOf(action);
      for (const resource of await ask({ action, resource: "*", context }))
        if (!used.includes(resource)) find("unused", `may ${action} on ${short(resource)}`);
    }
  };

  const judgeStatements = async () => {
    if (!named.some((action) => isStatement(action) || isPattern(action))) return;
    for (const resource of tables)
      for (const [fault, context] of Object.entries(BAD_STATEMENTS))
        for (const verb of VERBS) {
          if (fault === SCAN && verb !== "PartiQLSelect") continue;
          if (await isAllowed(`dynamodb:${verb}`, resource, context))
            find("forbidden", `may ${verb} on ${short(resource)} ${fault}`);
        }
  };

  const judgeTrust = async () => {
    for (const principal of [LAMBDA, GATEWAY, EVENTS, "ec2.amazonaws.com", ...STRANGERS]) {
      const request = { principal, action: "sts:AssumeRole", resource: role };
      const mayAssume = (await ask(request, { ...own(principal), ofResource: trust })).length > 0;
      if (mayAssume && principal !== by) find("forbidden", `has a role that ${principal} may assume`);
      if (!mayAssume && principal === by) find("lacks", `has a role that ${principal} may not assume`);
    }
  };

  judgeForm();
  for (const part of [judgeRights, judgeOthers, judgeStatements, judgeTrust]) await part();
  return findings;
};

/** A request of an AWS service by a resource policy. */
interface ServiceUse {
  service: string;
  context: Context;
  action: string;
  resource: string;
}

const SOURCE = "aws:SourceArn";

/** What EventBridge and CloudWatch do with the targets of rules and alarms. */
const serviceUsesIn = (templates: Templates): ServiceUse[] => {
  const { inService } = openTemplates(templates);
  const ofRules = inService("AWS::Events::Rule").flatMap(({ Name = "unnamed", Targets }) =>
    Targets.flatMap(({ Arn, DeadLetterConfig }: Properties) => {
      const by = { service: EVENTS, context: { [SOURCE]: arnIn("events", `rule/${Name}`) } };
      const action = Arn.includes(":sns:") ? "sns:Publish" : "lambda:InvokeFunction";
      const dead = DeadLetterConfig && { ...by, action: "sqs:SendMessage", resource: DeadLetterConfig.Arn };
      return [{ ...by, action, resource: Arn }, ...listOf(dead)];
    }),
  );
  const topics = inService("AWS::CloudWatch::Alarm").flatMap(({ AlarmActions }) => AlarmActions);
  const context = { "aws:SourceAccount": ACCOUNT };
  return [
    ...ofRules,
    ...[...new Set(topics)].map((resource) => ({
      ...{ service: ALARMS, context, action: "sns:Publish", resource },
    })),
  ];
};

/** What nobody may do with a resource by its policy, by the service in its ARN. */
const NEVER_BY_POLICY: Record<string, string[]> = {
  sqs: ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:PurgeQueue"],
  lambda: ["lambda:InvokeFunction", "lambda:UpdateFunctionCode"],
  sns: ["sns:Publish", "sns:Subscribe", "sns:DeleteTopic"],
};

/** Finds whether services may use queues, functions and topics by their policies, and nobody else may. */
const judgeServices = async (templates: Templates): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const policies = resourcePoliciesIn(templates);
  const needed = serviceUsesIn(templates);
  const isAllowed = async (principal: string, action: string, resource: string, context: Context = {}) => {
    const request = { principal, action, resource, context };
    const { allowed, error } = await simulate(
      { ...own(principal), ofResource: policies.get(resource) },
      request,
    );
    if (error !== null) findings.push({ kind: "forbidden", text: `${short(resource)}: ${error}` });
    return allowed.length > 0;
  };
  const sourceOf = (context: Context): string => short(String(Object.values(context)[0] ?? ""));
  for (const { service, context, action, resource } of needed)
    if (!policies.has(resource) || !(await isAllowed(service, action, resource, context)))
      findings.push({ kind: "lacks", text: `${sourceOf(context)} lacks ${action} on ${short(resource)}` });

  for (const resource of policies.keys()) {
    const uses = needed.filter((one) => one.resource === resource);
    const by = uses.find(({ context }) => SOURCE in context)?.context[SOURCE];
    const rule = String(by ?? arnIn("events", "rule/none"));
    for (const action of NEVER_BY_POLICY[resource.split(":")[2] ?? ""] ?? []) {
      const isUsed = uses.some((one) => one.action === action);
      // EventBridge supports no conditions in the policy of a topic, so any rule may publish (decision 79).
      const isOpen = action === "sns:Publish" && isUsed;
      const ofRules: [string, Context?][] = [
        ...(isUsed ? [] : [[EVENTS, { [SOURCE]: rule }] satisfies [string, Context]]),
        [EVENTS],
        [EVENTS, { [SOURCE]: rule.replace(/rule\/.*/, "rule/other") }],
        [EVENTS, { [SOURCE]: rule.replace(/:\d{12}:/, `:${ELSEWHERE}:`) }],
      ];
      const others: [string, Context?][] = [
        ...(isOpen ? [] : ofRules),
        [ALARMS, { "aws:SourceAccount": ELSEWHERE }],
        [GATEWAY, { [SOURCE]: rule }],
        ["s3.amazonaws.com", { [SOURCE]: rule }],
        [`arn:aws:iam::${ELSEWHERE}:root`],
      ];
      for (const [principal, context = {}] of others)
        if (await isAllowed(principal, action, resource, context)) {
          const from = Object.keys(context).length === 0 ? "" : ` for ${sourceOf(context)}`;
          findings.push({
            kind: "forbidden",
            text: `${principal}${from} may ${action} on ${short(resource)}`,
          });
        }
    }
  }
  return findings;
};

/**
 * Judges all policies of a deployment.
 * @param callsOf the calls of AWS by a function's code, as `table GetItem`
 */
export const judge = async (templates: Templates, callsOf: CallsOf): Promise<Finding[]> => {
  const uses = usesIn(templates, callsOf);
  const { inService, roles: readRoles } = openTemplates(templates);
  const roles = readRoles();
  const tables = inService("AWS::DynamoDB::Table").flatMap(
    ({ TableName, GlobalSecondaryIndexes: indexes }): string[] => [
      arnIn("dynamodb", `table/${TableName}`),
      ...indexes.map((one: Properties) => arnIn("dynamodb", `table/${TableName}/index/${one.IndexName}`)),
    ],
  );
  const findings: Finding[] = [];
  for (const [role, users] of Map.groupBy(uses, (use) => use.role)) {
    const [use] = users;
    const properties = roles.get(role);
    if (use === undefined || properties === undefined)
      findings.push({ kind: "lacks", text: `${users.map(({ user }) => user).join()} has no role` });
    else if (users.length > 1)
      findings.push({
        kind: "forbidden",
        text: `${users.map(({ user }) => user).join(" and ")} share a role`,
      });
    else findings.push(...(await judgeRole(use, properties, tables)));
  }
  for (const role of roles.keys())
    if (!uses.some((use) => use.role === role))
      findings.push({ kind: "unused", text: `${role} has no user` });
  findings.push(...(await judgeServices(templates)));
  return [...new Map(findings.map((finding) => [finding.text, finding])).values()];
};
