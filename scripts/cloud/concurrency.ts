/** How many functions may run at once in an account. */
import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda";
import { explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";

/** What players' requests need at once after a mission, with the workers beside them; a new account has ten in all. */
export const CONCURRENCY_NEEDED = 100;

/** How many functions may run at once in the account and region. @throws UserError when Lambda cannot be asked */
export const concurrencyOf = async ({
  lambda,
  region,
}: Pick<Clients, "lambda" | "region">): Promise<number> => {
  const { AccountLimit } = await explainingErrors(region, "tell Lambda's limits", () =>
    lambda.send(new GetAccountSettingsCommand({})),
  );
  return AccountLimit?.ConcurrentExecutions ?? 0;
};

/** How to ask for more, in two ways; without a full stop. */
export const howToRaiseConcurrency = (region: string): string =>
  `Ask for 1,000, which costs nothing and may take days: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region ${region} (or in the console: Service Quotas, AWS services, AWS Lambda, "Concurrent executions", Request increase at account level). Deploy again when it is granted`;
