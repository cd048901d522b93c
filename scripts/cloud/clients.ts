/** AWS clients for one region. */
import { ACMClient } from "@aws-sdk/client-acm";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { explainingErrors } from "./awsErrors.ts";

const openClients = (region: string) => {
  // Few attempts, because a retry does not help if a host name cannot be resolved.
  const settings = { region, maxAttempts: Number(process.env.AWS_MAX_ATTEMPTS ?? 4) };
  const clients = {
    acm: new ACMClient(settings),
    cloudFormation: new CloudFormationClient(settings),
    dynamodb: new DynamoDBClient(settings),
    events: new EventBridgeClient(settings),
    lambda: new LambdaClient(settings),
    quotas: new ServiceQuotasClient(settings),
    s3: new S3Client(settings),
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

/** Runs a function with AWS clients and closes them afterwards. */
export const withClients = async <T>(region: string, work: (clients: Clients) => Promise<T>): Promise<T> => {
  const clients = openClients(region);
  try {
    return await work(clients);
  } finally {
    clients.close();
  }
};

/** Returns the identity of the credentials. @throws UserError if there are none or AWS rejects them */
export const identityOf = async ({
  sts,
  region,
}: Pick<Clients, "sts" | "region">): Promise<{ account: string; arn: string }> => {
  const { Account = "unknown", Arn = "unknown" } = await explainingErrors(
    region,
    "identify the credentials",
    () => sts.send(new GetCallerIdentityCommand({})),
  );
  return { account: Account, arn: Arn };
};

/** Returns the account number of the credentials. @throws UserError if there are none or AWS rejects them */
export const accountOf = async (cloud: Pick<Clients, "sts" | "region">): Promise<string> =>
  (await identityOf(cloud)).account;
