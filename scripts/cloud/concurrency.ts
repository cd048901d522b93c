/** The concurrency limit of Lambda in an account. */
import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda";
import { explainingErrors } from "./awsErrors.ts";
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

/** How to request a higher limit. The text has no final full stop. */
export const howToRaiseConcurrency = (region: string): string =>
  `Request a limit of 1,000, which is free and may take days: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region ${region} (or in the console: Service Quotas, AWS services, AWS Lambda, "Concurrent executions", Request increase at account level). Deploy again after AWS has approved it`;
