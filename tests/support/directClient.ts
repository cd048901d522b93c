/**
 * Clients of an engine on this machine, without what the SDK does for a remote database: signatures, retries, telemetry,
 * and schemas of inputs and outputs. A call takes less than half of the processor time.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Response, sendOperation } from "./sendOperation.ts";

/** Binary values are in base64. */
function withoutBinary(this: Record<string, unknown>, key: string, value: unknown): unknown {
  // `value` is what `toJSON` has made of a buffer.
  const given = this[key];
  return given instanceof Uint8Array ? Buffer.from(given).toString("base64") : value;
}
const withBinary = (key: string, value: unknown): unknown =>
  key === "B" && typeof value === "string" ? Uint8Array.from(Buffer.from(value, "base64")) : value;

/** Reads the output. @throws Error as the SDK does */
const outputOf = ({ status, text }: Response): Record<string, unknown> => {
  if (status === 200) return JSON.parse(text, text.includes('"B":"') ? withBinary : undefined);
  const { __type = "", message, Message = message, ...more } = JSON.parse(text);
  const name = __type.replace(/^.*#/, "");
  throw Object.assign(new Error(Message), { name, $metadata: { httpStatusCode: status }, ...more });
};

const NOT_NEEDED =
  "httpAuthScheme httpSigning retry logger recursionDetection getUserAgent hostHeader contentLength".split(
    " ",
  );

/** A stack of middleware, as far as it is used here. */
interface Stack {
  remove(name: string): boolean;
  concat(from: Stack): Stack;
}
/** Each command adds this one itself, to a stack that it joins with the client's. */
const omitEndpoint = (stack: Stack): void => {
  const { concat } = stack;
  stack.concat = (from) => {
    from.remove("endpointV2Middleware");
    const joined = concat(from);
    omitEndpoint(joined);
    return joined;
  };
};

/** Replaces what a client of the SDK does with an input once it is in DynamoDB's form. */
export const connectDirectly = ({ middlewareStack }: DynamoDBClient, endpoint: string): void => {
  for (const name of NOT_NEEDED) middlewareStack.remove(`${name}Middleware`);
  omitEndpoint(middlewareStack);
  // A document client converts inputs before the first of these, and outputs after the second.
  middlewareStack.add((next) => next, { step: "serialize", name: "serializerMiddleware", override: true });
  middlewareStack.add(
    (_, { commandName = "" }) =>
      async ({ input }) => {
        const operation = commandName.replace(/Command$/, "");
        const response = await sendOperation(endpoint, operation, JSON.stringify(input, withoutBinary));
        return { output: { ...outputOf(response), $metadata: {} }, response };
      },
    { step: "deserialize", name: "deserializerMiddleware", override: true },
  );
};

const clients = new Map<string, DynamoDBDocumentClient>();

/** A client to look behind the store; one for each engine, since opening one costs more than using it. */
export const clientOf = (endpoint: string): DynamoDBDocumentClient => {
  const known = clients.get(endpoint);
  if (known !== undefined) return known;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const plain = new DynamoDBClient({ endpoint, region: "local", credentials });
  connectDirectly(plain, endpoint);
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(plain, { marshallOptions });
  clients.set(endpoint, client);
  return client;
};
