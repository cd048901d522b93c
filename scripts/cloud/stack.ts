/** The CloudFormation stack of a deployment. */
import { setTimeout as pause } from "node:timers/promises";
import {
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  paginateListStackResources,
  paginateListStacks,
  StackStatus,
} from "@aws-sdk/client-cloudformation";
import { UserError } from "../cli/userError.ts";
import { errorName, explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import { namesOf, type Stage } from "./stage.ts";

type Cloud = Pick<Clients, "cloudFormation" | "region">;

export interface StackResource {
  type: string;
  /** The physical id. */
  id: string;
  status: string;
}

export interface Stack {
  status: string;
  /** When the state last changed. */
  since: Date | undefined;
  /** The URL of the service: of its domain if API Gateway's address is off; undefined before the first deploy. */
  url: string | undefined;
  /** The target of the DNS record; undefined without a domain. */
  domainTarget: string | undefined;
}

/** Returns the stack of a stage, or `null`. @throws UserError if CloudFormation cannot be reached */
export const findStack = async (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
): Promise<Stack | null> => {
  const described = await explainingErrors(region, "describe the stack", async () => {
    try {
      return await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    } catch (error) {
      if (errorName(error) === "ValidationError" && String(error).includes("does not exist")) return null;
      throw error;
    }
  });
  const stack = described?.Stacks?.[0];
  if (stack === undefined) return null;
  const output = (name: string): string | undefined =>
    stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  return {
    status: stack.StackStatus ?? "UNKNOWN",
    since: stack.LastUpdatedTime ?? stack.CreationTime,
    url: output("ServiceUrl") ?? output("HttpApiUrl"),
    domainTarget: output("DomainTarget"),
  };
};

/** Returns the resources of the stack by logical id. */
export const listResources = async (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
): Promise<Map<string, StackResource>> => {
  const found = new Map<string, StackResource>();
  const list = async (): Promise<void> => {
    for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: name })) {
      for (const one of page.StackResourceSummaries ?? []) {
        const { ResourceType: type = "", PhysicalResourceId: id = "", ResourceStatus: status = "" } = one;
        // Deleted and retained resources are listed too.
        if (status === "DELETE_COMPLETE" || status === "DELETE_SKIPPED") continue;
        found.set(one.LogicalResourceId ?? "", { type, id, status });
      }
    }
  };
  await explainingErrors(region, "list the stack's resources", list);
  return found;
};

/** Returns the names of all stages of this service in the region. */
const stagesIn = async ({ cloudFormation, region }: Cloud): Promise<string[]> => {
  const start = namesOf("").name;
  const gone = new Set<string>([StackStatus.DELETE_COMPLETE]);
  return explainingErrors(region, "list the stacks", async () => {
    const stages: string[] = [];
    for await (const { StackSummaries = [] } of paginateListStacks({ client: cloudFormation }, {})) {
      for (const { StackName = "", StackStatus: status = "", ParentId } of StackSummaries) {
        if (ParentId === undefined && StackName.startsWith(start) && !gone.has(status))
          stages.push(StackName.slice(start.length));
      }
    }
    return [...new Set(stages)].toSorted();
  });
};

/** Returns a message that the stage does not exist, with the stages that do. */
export const missingStageMessage = async (
  cloud: Cloud,
  { label }: Stage,
  account: string,
): Promise<string> => {
  const others = await stagesIn(cloud);
  const there = others.length === 0 ? "There are no stages." : `Existing stages: ${others.join(", ")}.`;
  return `There is no ${label} in the account ${account}. ${there}`;
};

/** Returns the stack of a stage. @throws UserError listing the existing stages if there is none */
export const requireStack = async (cloud: Cloud, stage: Stage, account: string): Promise<Stack> => {
  const stack = await findStack(cloud, stage);
  if (stack !== null) return stack;
  throw new UserError(await missingStageMessage(cloud, stage, account));
};

const sinceText = (since: Date | undefined): string =>
  since === undefined ? "" : ` since ${since.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Whether CloudFormation is changing the stack. A change set under review may never be executed. */
export const isInProgress = ({ status }: Stack): boolean =>
  status.endsWith("_IN_PROGRESS") && status !== StackStatus.REVIEW_IN_PROGRESS;

/** The states in which a stack can only be deleted. */
export const REMOVABLE: ReadonlySet<string> = new Set([
  StackStatus.REVIEW_IN_PROGRESS,
  StackStatus.CREATE_FAILED,
  StackStatus.ROLLBACK_COMPLETE,
  StackStatus.ROLLBACK_FAILED,
  StackStatus.DELETE_FAILED,
]);

/**
 * Checks that a deploy can start.
 * @throws UserError with what to wait for or what to do first
 */
export const requireDeployable = (stack: Stack | null, { stage, name, region, options }: Stage): void => {
  if (stack === null) return;
  const { status, since } = stack;
  if (isInProgress(stack)) {
    throw new UserError(
      `The stage ${stage} is being changed (${status}${sinceText(since)}) by another deploy, or by one that was interrupted and continues on AWS. Nothing was changed. Try again when it has finished.`,
    );
  }
  if (REMOVABLE.has(status)) {
    throw new UserError(
      `The first deploy of ${stage} or its removal did not finish, and the stack cannot be updated (${status}). Remove it with npm run teardown -- ${options} and deploy again.`,
    );
  }
  if (status.endsWith("_FAILED")) {
    throw new UserError(
      `The stack ${name} is stuck (${status}). See https://${region}.console.aws.amazon.com/cloudformation for what failed, choose "Continue update rollback", and deploy again.`,
    );
  }
};

/** The polling interval in milliseconds; the framework uses the same variable. */
export const pollIntervalMs = (): number => Number(process.env.SLS_AWS_MONITORING_FREQUENCY ?? 5_000);

/**
 * Waits until CloudFormation has finished changing a stack.
 * @returns the stack, or `null` if it was deleted
 */
export const waitUntilSettled = async (cloud: Cloud, stage: Stage): Promise<Stack | null> => {
  for (;;) {
    const stack = await findStack(cloud, stage);
    if (stack === null || !isInProgress(stack)) return stack;
    await pause(pollIntervalMs());
  }
};

/**
 * Error messages of throttled services, as CloudFormation reports them: `Too Many Requests (Service: ApiGatewayV2;
 * Status Code: 429; Error Code: TooManyRequestsException)`, `Rate exceeded (Service: Lambda, …)`, `(HandlerErrorCode:
 * Throttling)`, `Limit Exceeded (Service: ApiGateway, …)`. An exhausted quota (`Code storage limit exceeded`) is not
 * included, because a retry would not help.
 */
const THROTTLED = [
  /TooManyRequests|Too Many Requests|Rate exceeded|Throttl|Status Code: 429/i,
  /\bLimit Exceeded\b/,
];

/** Whether a failure from {@link failuresSince} means that a service throttled requests. */
export const isRateLimited = (failure: string): boolean => THROTTLED.some((text) => text.test(failure));

const NESTED_STACK = "AWS::CloudFormation::Stack";

/**
 * Whether an event has the reason of a failure. Resources that were cancelled because another one failed are reported as
 * failed too. A stack itself rolls back for a reason of its own, such as an export that exists, or for failed resources.
 */
const isFailure = (status: string, reason: string): boolean =>
  (status.endsWith("_FAILED") && !/cancelled|^The following resource/i.test(reason)) ||
  (status.endsWith("ROLLBACK_IN_PROGRESS") && reason !== "" && !reason.startsWith("The following resource"));

const failuresIn = async (
  cloudFormation: Cloud["cloudFormation"],
  StackName: string,
  since: Date,
): Promise<string[]> => {
  const failures: string[] = [];
  // Newest first, a hundred per page; a rollback has many.
  for await (const { StackEvents = [] } of paginateDescribeStackEvents(
    { client: cloudFormation },
    { StackName },
  )) {
    for (const event of StackEvents) {
      const { Timestamp, ResourceStatus, ResourceStatusReason = "", LogicalResourceId } = event;
      if ((Timestamp?.getTime() ?? 0) < since.getTime()) return failures;
      if (!isFailure(ResourceStatus ?? "", ResourceStatusReason)) continue;
      // The reasons are in the events of a nested stack.
      const { ResourceType, PhysicalResourceId = "", StackId } = event;
      const isNested = ResourceType === NESTED_STACK && !["", StackId].includes(PhysicalResourceId);
      const nested = isNested ? await failuresIn(cloudFormation, PhysicalResourceId, since) : [];
      failures.unshift(...(nested.length > 0 ? nested : [`${LogicalResourceId}: ${ResourceStatusReason}`]));
    }
  }
  return failures;
};

/** Returns the failures in a stack since a time, oldest first, as CloudFormation reports them. */
export const failuresSince = (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
  since: Date,
): Promise<string[]> =>
  explainingErrors(region, "list the events of the stack", () => failuresIn(cloudFormation, name, since));
