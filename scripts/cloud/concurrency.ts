/** The concurrency limit of Lambda in an account, and requests to AWS to raise it. */
import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda";
import {
  ListRequestedServiceQuotaChangeHistoryByQuotaCommand,
  type RequestedServiceQuotaChange,
  RequestServiceQuotaIncreaseCommand,
} from "@aws-sdk/client-service-quotas";
import { property } from "../../lib/runtime/objects.ts";
import { messageOf } from "../cli/userError.ts";
import { errorName, explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";

/** Concurrent executions needed for the peak after a mission, including the workers. New AWS accounts have ten. */
export const CONCURRENCY_NEEDED = 100;

/**
 * Returns the limit of concurrent executions in the account and region.
 * @throws UserError if Lambda cannot be reached
 */
export const readConcurrencyLimit = async ({
  lambda,
  region,
}: Pick<Clients, "lambda" | "region">): Promise<number> => {
  const { AccountLimit } = await explainingErrors(region, "read Lambda's limits", () =>
    lambda.send(new GetAccountSettingsCommand({})),
  );
  return AccountLimit?.ConcurrentExecutions ?? 0;
};

/** The limit that is requested: the default of accounts that are not new. */
const DESIRED = 1_000;
/** "Concurrent executions" of Lambda. */
const QUOTA = { ServiceCode: "lambda", QuotaCode: "L-B99A9384" };

/**
 * How to request a higher limit. The text has no final full stop.
 * @param options the options of the deployment, if there is one
 */
export const howToRaiseConcurrency = (region: string, options: string | null): string =>
  `Request a limit of 1,000, which is free and may take days: ${options === null ? "" : `npm run deploy -- ${options} --request-concurrency, or `}aws service-quotas request-service-quota-increase --service-code ${QUOTA.ServiceCode} --quota-code ${QUOTA.QuotaCode} --desired-value ${DESIRED} --region ${region} (or in the console: Service Quotas, AWS services, AWS Lambda, "Concurrent executions", Request increase at account level). Deploy again after AWS has approved it`;

/** What a person can do if AWS refuses a request. The text has no final full stop. */
const CASE =
  "Ask AWS's support for it (https://console.aws.amazon.com/support/home, Service limit increase, Lambda), and say what the service is for. An account on the free plan may have to change to the paid plan first: aws freetier upgrade-account-plan --account-plan-type PAID --region us-east-1";

type QuotaClients = Pick<Clients, "quotas" | "region">;

/** The statuses of a request that AWS has not decided (RequestedServiceQuotaChange in the API reference). */
const OPEN = new Set(["PENDING", "CASE_OPENED"]);
const REFUSED = new Set(["DENIED", "NOT_APPROVED", "INVALID_REQUEST"]);

const describeRequest = ({ DesiredValue, Created, CaseId, Status }: RequestedServiceQuotaChange): string => {
  const since = Created === undefined ? "" : ` of ${Created.toISOString().slice(0, 10)}`;
  const which = CaseId === undefined ? "" : ` (case ${CaseId})`;
  return `The request${since} for a limit of ${DesiredValue}${which} is ${Status}`;
};

/** The newest request to raise the limit. */
export interface QuotaRequest {
  isOpen: boolean;
  /** What it is, and what to do. The text has no final full stop. */
  text: string;
}

/**
 * Returns the newest request to raise the limit of this region, if it is open or AWS has refused it; otherwise `null`, also
 * if these credentials may not see requests.
 */
export const findQuotaRequest = async ({ quotas }: QuotaClients): Promise<QuotaRequest | null> => {
  const requests: RequestedServiceQuotaChange[] = [];
  try {
    let NextToken: string | undefined;
    do {
      const page = await quotas.send(
        new ListRequestedServiceQuotaChangeHistoryByQuotaCommand({ ...QUOTA, NextToken }),
      );
      requests.push(...(page.RequestedQuotas ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  } catch {
    // The answer is only advice, and a request that is open already is refused.
    return null;
  }
  const newestFirst = requests.toSorted(
    (one, other) => (other.Created?.getTime() ?? 0) - (one.Created?.getTime() ?? 0),
  );
  const newest = newestFirst.find(({ Status = "" }) => OPEN.has(Status)) ?? newestFirst[0];
  const status = newest?.Status ?? "";
  if (newest === undefined || !(OPEN.has(status) || REFUSED.has(status))) return null;
  const advice = OPEN.has(status) ? "Deploy again after AWS has approved it" : CASE;
  return { isOpen: OPEN.has(status), text: `${describeRequest(newest)}. ${advice}` };
};

/** Reasons for which AWS refuses a request, by the name of the error; the text is what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDeniedException:
    "Sign in as somebody who may use servicequotas:RequestServiceQuotaIncrease and iam:CreateServiceLinkedRole, or request it in the console",
  ResourceAlreadyExistsException: "A request is open already. Deploy again after AWS has approved it",
  QuotaExceededException: "Too many requests are open. Wait until AWS has decided one of them",
  TooManyRequestsException: "Try again in a minute",
  ExpiredTokenException: "Sign in again, and run the command again",
};

/**
 * Requests a limit of 1,000. A refusal is no error, because the service works without it.
 * @returns what came of it, without a final full stop
 */
export const requestConcurrency = async ({ quotas, region }: QuotaClients): Promise<string> => {
  try {
    const { RequestedQuota } = await quotas.send(
      new RequestServiceQuotaIncreaseCommand({ ...QUOTA, DesiredValue: DESIRED }),
    );
    return `${describeRequest(RequestedQuota ?? { DesiredValue: DESIRED, Status: "PENDING" })}. AWS may take days. Deploy again after it has approved it`;
  } catch (error) {
    const isRefused = property(error, "$metadata") !== undefined;
    const advice = ADVICE[errorName(error)] ?? (isRefused ? CASE : "Try again when AWS can be reached");
    return `AWS has not accepted the request for a limit of ${DESIRED} in ${region}: ${messageOf(error)}. ${advice}`;
  }
};
