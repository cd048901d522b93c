/** What CloudFormation knows of a deployment. */
import { setTimeout as pause } from "node:timers/promises";
import {
  DescribeStacksCommand,
  ListStackResourcesCommand,
  paginateDescribeStackEvents,
  paginateListStacks,
  StackStatus,
} from "@aws-sdk/client-cloudformation";
import { UserError } from "../cli/userError.ts";
import { errorName, explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import { namesOf, type Stage } from "./stage.ts";

type Cloud = Pick<Clients, "cloudFormation" | "region">;

/** A resource of the stack. */
export interface StackResource {
  type: string;
  /** Its name with its own service. */
  id: string;
  status: string;
}

/** A stack as it stands. */
export interface Stack {
  status: string;
  /** Since when it stands so. */
  since: Date | undefined;
  /** Where the service answers; absent before its first deploy has come so far. */
  url: string | undefined;
  /** What a DNS record of its domain must point to; absent where it has no domain. */
  domainTarget: string | undefined;
}

/** The stack of a stage; `null` where there is none. @throws UserError when CloudFormation cannot be asked */
export const findStack = async (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
): Promise<Stack | null> => {
  const described = await explainingErrors(region, "tell of the stack", async () => {
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
    url: output("HttpApiUrl"),
    domainTarget: output("DomainTarget"),
  };
};

/** The stack's resources, by their names in the template. */
export const listResources = async (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
): Promise<Map<string, StackResource>> => {
  const found = new Map<string, StackResource>();
  let NextToken: string | undefined;
  do {
    const page = await explainingErrors(region, "list the stack's resources", () =>
      cloudFormation.send(new ListStackResourcesCommand({ StackName: name, NextToken })),
    );
    for (const one of page.StackResourceSummaries ?? []) {
      // What is gone from the stack is listed all the same, also what was left where it is.
      if (one.ResourceStatus === "DELETE_COMPLETE" || one.ResourceStatus === "DELETE_SKIPPED") continue;
      found.set(one.LogicalResourceId ?? "", {
        type: one.ResourceType ?? "",
        id: one.PhysicalResourceId ?? "",
        status: one.ResourceStatus ?? "",
      });
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return found;
};

/** Stages of this service that there are in the region. */
const stagesIn = async ({ cloudFormation, region }: Cloud): Promise<string[]> => {
  const start = namesOf("").name;
  const gone = new Set<string>([StackStatus.DELETE_COMPLETE]);
  return explainingErrors(region, "list the stacks", async () => {
    const stages: string[] = [];
    for await (const { StackSummaries = [] } of paginateListStacks({ client: cloudFormation }, {})) {
      for (const { StackName = "", StackStatus: status = "" } of StackSummaries) {
        if (StackName.startsWith(start) && !gone.has(status)) stages.push(StackName.slice(start.length));
      }
    }
    return [...new Set(stages)].toSorted();
  });
};

/** That there is no such stage, and which there are, in words. */
export const missingStageMessage = async (
  cloud: Cloud,
  { words }: Stage,
  account: string,
): Promise<string> => {
  const others = await stagesIn(cloud);
  const there = others.length === 0 ? "There is no stage there." : `There are: ${others.join(", ")}.`;
  return `There is no ${words}, in the account ${account}. ${there}`;
};

/** The stack of a stage that must be there. @throws UserError naming the stages that there are */
export const requireStack = async (cloud: Cloud, stage: Stage, account: string): Promise<Stack> => {
  const stack = await findStack(cloud, stage);
  if (stack !== null) return stack;
  throw new UserError(await missingStageMessage(cloud, stage, account));
};

const ago = (since: Date | undefined): string =>
  since === undefined ? "" : ` since ${since.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Whether CloudFormation is at it. A change set that nobody carries out is reviewed for ever. */
export const isInProgress = ({ status }: Stack): boolean =>
  status.endsWith("_IN_PROGRESS") && status !== StackStatus.REVIEW_IN_PROGRESS;

/** How a stack stands that can be removed, and nothing else. */
export const REMOVABLE: ReadonlySet<string> = new Set([
  StackStatus.REVIEW_IN_PROGRESS,
  StackStatus.CREATE_FAILED,
  StackStatus.ROLLBACK_COMPLETE,
  StackStatus.ROLLBACK_FAILED,
  StackStatus.DELETE_FAILED,
]);

/**
 * Passes when a deploy may begin upon the stack as it stands.
 * @throws UserError saying what to wait for, or what to do first
 */
export const requireDeployable = (stack: Stack | null, { stage, name, region, options }: Stage): void => {
  if (stack === null) return;
  const { status, since } = stack;
  if (isInProgress(stack)) {
    throw new UserError(
      `Something is under way with the stage ${stage} already (${status}${ago(since)}): another deploy, or one that was cut off and goes on by itself. Try again when it has ended; nothing has been changed.`,
    );
  }
  if (REMOVABLE.has(status)) {
    throw new UserError(
      `The first deploy of ${stage} has not come to its end, or its removal has not, and what is left cannot be updated (${status}): remove it by npm run teardown -- ${options}, and deploy again.`,
    );
  }
  if (status.endsWith("_FAILED")) {
    throw new UserError(
      `The stack ${name} is stuck (${status}): see at https://${region}.console.aws.amazon.com/cloudformation what failed and choose "Continue update rollback", then deploy again.`,
    );
  }
};

/** How often AWS is asked whether something has ended, in milliseconds; the framework goes by the same variable. */
export const pollIntervalMs = (): number => Number(process.env.SLS_AWS_MONITORING_FREQUENCY ?? 5_000);

/**
 * Waits until CloudFormation has ended what it does with a stack.
 * @returns the stack as it stands then; `null` when there is none any more
 */
export const waitUntilSettled = async (cloud: Cloud, stage: Stage): Promise<Stack | null> => {
  for (;;) {
    const stack = await findStack(cloud, stage);
    if (stack === null || !isInProgress(stack)) return stack;
    await pause(pollIntervalMs());
  }
};

/**
 * What services answer who are asked for too much at once, as CloudFormation passes it on: `Too Many Requests (Service:
 * ApiGatewayV2; Status Code: 429; Error Code: TooManyRequestsException)`, `Rate exceeded (Service: Lambda, …)`,
 * `(HandlerErrorCode: Throttling)`, `Limit Exceeded (Service: ApiGateway, …)`. A quota that is full is none of them
 * (`Code storage limit exceeded`): trying again would not help.
 */
const TOO_MANY = [
  /TooManyRequests|Too Many Requests|Rate exceeded|Throttl|Status Code: 429/i,
  /\bLimit Exceeded\b/,
];

/** Whether a failure, as {@link failuresSince} tells it, says that a service was asked for too much at once. */
export const isRateLimited = (failure: string): boolean => TOO_MANY.some((text) => text.test(failure));

/** What has failed in a stack since an instant, the first first, in CloudFormation's words. */
export const failuresSince = async (
  { cloudFormation, region }: Cloud,
  { name }: Stage,
  since: Date,
): Promise<string[]> => {
  const failures: string[] = [];
  await explainingErrors(region, "tell what happened to the stack", async () => {
    // The newest first, a hundred at a time: a rollback has many.
    for await (const { StackEvents = [] } of paginateDescribeStackEvents(
      { client: cloudFormation },
      { StackName: name },
    )) {
      for (const { Timestamp, ResourceStatus, ResourceStatusReason = "", LogicalResourceId } of StackEvents) {
        if ((Timestamp?.getTime() ?? 0) < since.getTime()) return;
        // Those that were not ready when another failed are told of too.
        if (ResourceStatus?.endsWith("_FAILED") !== true || /cancelled/i.test(ResourceStatusReason)) continue;
        failures.unshift(`${LogicalResourceId}: ${ResourceStatusReason}`);
      }
    }
  });
  return failures;
};
