/** Checks a deployment: its stack, and each part that could fail unnoticed. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DescribeRuleCommand } from "@aws-sdk/client-eventbridge";
import { ListEventSourceMappingsCommand } from "@aws-sdk/client-lambda";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { formatCount } from "../cli/format.ts";
import { messageOf } from "../cli/userError.ts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import { KEY_KIND_NAMES, KEY_KINDS, keyStatus } from "../cloud/keys.ts";
import { isInProgress, requireDeployable, type Stack, type StackResource } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { isForTests } from "../plugins/stages.cjs";
import { alarmEmailCheck } from "./alarmEmail.ts";
import { type Check, note, ok, type Result, wrong } from "./findings.ts";

type Resources = ReadonlyMap<string, StackResource>;

const again = ({ options }: Stage): string => `Deploy again: npm run deploy -- ${options}`;

const stackFinding = (stack: Stack, stage: Stage): Result => {
  const { status, since } = stack;
  const text = `${stage.name} is ${status}${since === undefined ? "" : `, since ${since.toISOString()}`}.`;
  if (isInProgress(stack)) {
    return note(text, "It is being changed. Check again when that has finished.");
  }
  if (status === "UPDATE_ROLLBACK_COMPLETE") {
    return note(`${text} The last deploy failed, so the version before it is running.`);
  }
  try {
    requireDeployable(stack, stage);
    return ok(text);
  } catch (error) {
    return wrong(text, messageOf(error));
  }
};

const keyFindings = async (clients: Clients, stage: Stage): Promise<Result[]> => {
  const findings: Result[] = [];
  for (const kind of KEY_KIND_NAMES) {
    const status = await keyStatus(clients, stage, kind);
    const { label } = KEY_KINDS[kind];
    // Created by the first deploy with MAIL_URL.
    if (kind === "mail" && status === null) continue;
    findings.push(
      status === null
        ? wrong(`There is no ${label}.`, again(stage))
        : ok(
            `${status.name} contains ${formatCount(status.count, label)}; the newest is used from ${status.newest} on.`,
          ),
    );
  }
  return findings;
};

/** Checks the settings of the table. */
const tableFindings = async ({ dynamodb, region }: Clients, stage: Stage): Promise<Result[]> => {
  const TableName = stage.name;
  const [table, life, backups] = await explainingErrors(region, `describe the table ${TableName}`, () =>
    Promise.all([
      dynamodb.send(new DescribeTableCommand({ TableName })),
      dynamodb.send(new DescribeTimeToLiveCommand({ TableName })),
      dynamodb.send(new DescribeContinuousBackupsCommand({ TableName })),
    ]),
  );
  const { TableStatus, ItemCount = 0, GlobalSecondaryIndexes = [], ...more } = table.Table ?? {};
  const inactive = GlobalSecondaryIndexes.filter(({ IndexStatus }) => IndexStatus !== "ACTIVE");
  const recovery = backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const lacks = [
    ...(TableStatus === "ACTIVE" ? [] : [`it is ${TableStatus}`]),
    ...inactive.map(({ IndexName, IndexStatus }) => `its index ${IndexName} is ${IndexStatus}`),
    ...(more.StreamSpecification?.StreamEnabled === true
      ? []
      : ["it has no stream, so no notifications are sent"]),
    // Enabling takes up to an hour.
    ...(/^ENABL(ED|ING)$/.test(life.TimeToLiveDescription?.TimeToLiveStatus ?? "")
      ? []
      : ["its items do not expire (time to live is off)"]),
    ...(recovery?.PointInTimeRecoveryStatus === "ENABLED" ? [] : ["it has no point-in-time recovery"]),
    ...(isForTests(stage.stage) || more.DeletionProtectionEnabled === true
      ? []
      : ["it has no deletion protection"]),
  ];
  return lacks.length === 0
    ? [ok(`${TableName} exists, with about ${formatCount(ItemCount, "item")}.`)]
    : lacks.map((lack) => wrong(`${TableName}: ${lack}.`, again(stage)));
};

/** The queues, and the meaning of their messages. */
const QUEUES: Record<string, string> = {
  Queue: "waiting to be processed",
  DeadLetters: "that failed five times",
  PassedOver: "about events that were not announced",
  MissedSweeps: "about sweeps that failed or did not start",
};

const queueFindings = async ({ sqs, region }: Clients, resources: Resources): Promise<Result[]> => {
  const findings: Result[] = [];
  for (const [name, meaning] of Object.entries(QUEUES)) {
    const url = resources.get(name)?.id;
    if (url === undefined) {
      findings.push(wrong(`The stack has no queue ${name}.`));
      continue;
    }
    const { Attributes } = await explainingErrors(region, `describe the queue ${name}`, () =>
      sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["ApproximateNumberOfMessages"] }),
      ),
    );
    const count = Number(Attributes?.ApproximateNumberOfMessages ?? 0);
    const isLeft = name !== "Queue" && count > 0;
    const text = `${name}: ${count === 0 ? "empty" : `${formatCount(count, "message")} ${meaning}`}.`;
    const fix = "Find the cause with npm run logs, then purge the queue in the console of SQS.";
    findings.push(isLeft ? note(text, fix) : ok(text));
  }
  return findings;
};

/** Checks the event sources of the workers. */
const sourceFindings = async ({ lambda, region }: Clients, { name, options }: Stage): Promise<Result[]> => {
  const findings: Result[] = [];
  for (const [worker, what] of [
    ["deliver", "queue"],
    ["announce", "stream"],
  ] as const) {
    const { EventSourceMappings = [] } = await explainingErrors(
      region,
      `list the event sources of ${worker}`,
      () => lambda.send(new ListEventSourceMappingsCommand({ FunctionName: `${name}-${worker}` })),
    );
    const [source] = EventSourceMappings;
    const last = source?.LastProcessingResult ?? "nothing yet";
    const isFailing = /problem|fail|error/i.test(last);
    const result =
      source?.State === "Enabled" && !isFailing
        ? ok(`${worker} receives its events (last result: ${last}).`)
        : wrong(
            `${worker} ${source === undefined ? "has no event source" : `has an event source that is ${source.State} (last result: ${last})`}.`,
            `See npm run logs -- ${options} --function ${worker}, and deploy again.`,
          );
    findings.push({ ...result, what });
  }
  return findings;
};

const RULE = "SweepEventsRuleSchedule1";

const scheduleFindings = async (
  { events, region }: Clients,
  stage: Stage,
  resources: Resources,
): Promise<Result[]> => {
  const Name = resources.get(RULE)?.id;
  if (Name === undefined) {
    return [wrong("The stack has no schedule, so starvations are not recorded.", again(stage))];
  }
  const { State, ScheduleExpression } = await explainingErrors(region, "describe the schedule", () =>
    events.send(new DescribeRuleCommand({ Name })),
  );
  return State === "ENABLED"
    ? [ok(`The sweep is scheduled at ${ScheduleExpression}.`)]
    : [
        wrong(
          `The schedule ${Name} is ${State}: starvations are not recorded.`,
          `Enable it: aws events enable-rule --name ${Name} --region ${region}`,
        ),
      ];
};

/** Returns the checks of a deployment. */
export const deploymentChecks = (
  clients: Clients,
  stage: Stage,
  stack: Stack,
  resources: Resources,
): Check[] => {
  return [
    { what: "stack", run: async () => [stackFinding(stack, stage)] },
    { what: "keys", run: () => keyFindings(clients, stage) },
    { what: "table", run: () => tableFindings(clients, stage) },
    { what: "queue", run: () => queueFindings(clients, resources) },
    { what: "source", run: () => sourceFindings(clients, stage) },
    { what: "schedule", run: () => scheduleFindings(clients, stage, resources) },
    alarmEmailCheck(clients, stage, resources),
  ];
};
