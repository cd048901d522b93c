/** Clients of the services of AWS that commands call, all of one region. */
import { ACMClient } from "@aws-sdk/client-acm";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { explainingErrors } from "./awsErrors.ts";

/** The clients, and how they are closed. */
const openClients = (region: string) => {
  // A name that cannot be resolved does not come to be by asking again.
  const settings = { region, maxAttempts: Number(process.env.AWS_MAX_ATTEMPTS ?? 4) };
  const clients = {
    acm: new ACMClient(settings),
    cloudFormation: new CloudFormationClient(settings),
    dynamodb: new DynamoDBClient(settings),
    events: new EventBridgeClient(settings),
    lambda: new LambdaClient(settings),
    sns: new SNSClient(settings),
    sqs: new SQSClient({ ...settings, useQueueUrlAsEndpoint: false }),
    ssm: new SSMClient(settings),
    sts: new STSClient(settings),
  };
  return {
    ...clients,
    region,
    close: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
};
export type Clients = ReturnType<typeof openClients>;

/** Does what asks AWS in a region, with clients that are closed afterwards. */
export const withClients = async <T>(region: string, work: (clients: Clients) => Promise<T>): Promise<T> => {
  const clients = openClients(region);
  try {
    return await work(clients);
  } finally {
    clients.close();
  }
};

/** Whose credentials these are. @throws UserError when there are none, or they are no good */
export const identityOf = async ({
  sts,
  region,
}: Pick<Clients, "sts" | "region">): Promise<{ account: string; arn: string }> => {
  const { Account = "unknown", Arn = "unknown" } = await explainingErrors(
    region,
    "tell whose the credentials are",
    () => sts.send(new GetCallerIdentityCommand({})),
  );
  return { account: Account, arn: Arn };
};

/** The number of the account whose credentials these are. @throws UserError when there are none, or they are no good */
export const accountOf = async (cloud: Pick<Clients, "sts" | "region">): Promise<string> =>
  (await identityOf(cloud)).account;
