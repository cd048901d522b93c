/** Sends operations of DynamoDB to an engine on this machine, over connections that all clients of a process share. */
import { connect } from "node:net";

/** What all requests have. The engine requires a signature, and does not check it. */
const HEADERS = `content-type: application/x-amz-json-1.0
x-amz-date: 20400101T000000Z
authorization: AWS4-HMAC-SHA256 Credential=local/20400101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0
`.replaceAll("\n", "\r\n");

export interface Response {
  status: number;
  text: string;
}

const NOTHING = Buffer.alloc(0);

/** Returns the response that was received, or `undefined` if a part of it is missing. */
const parseResponse = (received: Buffer): Response | undefined => {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`The engine's response has no length: ${head}`);
  const body = received.subarray(end + 4);
  // "HTTP/1.1 200 OK"
  return body.length < Number(length)
    ? undefined
    : { status: Number(head.slice(9, 12)), text: body.toString() };
};

/** Opens a connection, which takes one request after the other. */
const openConnection = (host: string, port: number, onClosed: () => void) => {
  const socket = connect({ host, port, noDelay: true });
  let received = NOTHING;
  let waiting: PromiseWithResolvers<Response> | undefined;
  const fail = (error: unknown): void => {
    socket.destroy();
    onClosed();
    waiting?.reject(error);
  };
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      const response = parseResponse(received);
      if (response === undefined) return;
      received = NOTHING;
      // An idle connection does not keep the process alive.
      socket.unref();
      waiting?.resolve(response);
    } catch (error) {
      fail(error);
    }
  });
  socket.on("error", fail);
  socket.on("close", () => fail(Object.assign(new Error("The engine has ended."), { code: "ECONNRESET" })));
  return {
    send(request: string): Promise<Response> {
      waiting = Promise.withResolvers();
      socket.ref();
      socket.write(request);
      return waiting.promise;
    },
  };
};

type Connection = ReturnType<typeof openConnection>;

/** The connections that wait for a request, by the engine's endpoint. */
const idleConnections = new Map<string, Set<Connection>>();

/** Sends an operation, such as `GetItem`, with its input as JSON. */
export const sendOperation = async (endpoint: string, operation: string, body: string): Promise<Response> => {
  const { host, hostname, port } = new URL(endpoint);
  const idle = idleConnections.get(endpoint) ?? new Set();
  idleConnections.set(endpoint, idle);
  const open = (): Connection => {
    const opened = openConnection(hostname, Number(port), () => idle.delete(opened));
    return opened;
  };
  const [connection = open()] = idle;
  idle.delete(connection);
  const target = `x-amz-target: DynamoDB_20120810.${operation}`;
  const head = `POST / HTTP/1.1\r\nhost: ${host}\r\n${HEADERS}${target}\r\ncontent-length: ${Buffer.byteLength(body)}`;
  const response = await connection.send(`${head}\r\n\r\n${body}`);
  idle.add(connection);
  return response;
};
