/**
 * Clients of an engine on this machine, without what the SDK does for a remote database: signatures, retries and
 * telemetry. A call takes two thirds of the time.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The engine requires a signature, and does not check it. */
const SIGNATURE = {
  "x-amz-date": "20400101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20400101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};

const NOT_NEEDED = ["httpSigning", "retry", "logger", "recursionDetection", "getUserAgent", "hostHeader"];

/** Removes from a client what a local engine does not need. */
export const connectDirectly = ({ middlewareStack }: DynamoDBClient): void => {
  for (const name of NOT_NEEDED) middlewareStack.remove(`${name}Middleware`);
  middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, SIGNATURE);
      return next(args);
    },
    { step: "finalizeRequest", name: "connectDirectly" },
  );
};

const clients = new Map<string, DynamoDBDocumentClient>();

/** A client to look behind the store; one for each engine, since opening one costs more than using it. */
export const clientOf = (endpoint: string): DynamoDBDocumentClient => {
  const known = clients.get(endpoint);
  if (known !== undefined) return known;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const plain = new DynamoDBClient({ endpoint, region: "local", credentials });
  connectDirectly(plain);
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(plain, { marshallOptions });
  clients.set(endpoint, client);
  return client;
};
