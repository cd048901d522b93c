/** Sends operations of DynamoDB to an engine on this machine, over connections that all clients of a process share. */
import { Pool } from "undici";

/** The engine requires a signature, and does not check it. */
const HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "20400101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20400101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};

export interface Response {
  status: number;
  text: string;
}

const pools = new Map<string, Pool>();

/** Sends an operation, such as `GetItem`, with its input as JSON. */
export const sendOperation = (endpoint: string, operation: string, body: string): Promise<Response> => {
  const pool = pools.get(endpoint) ?? new Pool(endpoint);
  pools.set(endpoint, pool);
  const headers = { ...HEADERS, "x-amz-target": `DynamoDB_20120810.${operation}` };
  // `request` would take twice the processor time, for streams that nobody reads here.
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let status = 0;
    pool.dispatch(
      { path: "/", method: "POST", headers, body },
      {
        onRequestStart() {},
        onResponseStart(_, code) {
          status = code;
        },
        onResponseData(_, part) {
          parts.push(part);
        },
        onResponseEnd: () => resolve({ status, text: Buffer.concat(parts).toString() }),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
};
