/** A process in front of the local engine that speaks TLS, as DynamoDB does, and counts the calls. */
import { connect } from "node:net";
import { pipeline } from "node:stream";
import { createServer } from "node:tls";
import * as z from "zod/mini";
import { listen } from "../../tests/support/listen.ts";
import { serveRequests } from "./processes.ts";

const Message = z.union([
  z.object({ start: z.object({ key: z.string(), cert: z.string(), engine: z.url() }) }),
  /** Requests the number of calls since the previous request. */
  z.object({ calls: z.literal(true) }),
]);
export const Started = z.object({ port: z.int() });
export const Calls = z.object({ calls: z.record(z.string(), z.int()) });

/** The header with the name of a call. The headers of a request arrive in one chunk. */
const TARGET = /x-amz-target: DynamoDB_20120810\.(\w+)/gi;

let calls: Record<string, number> = {};

const count = (chunk: Buffer): void => {
  for (const [, call = ""] of chunk.toString("latin1").matchAll(TARGET)) calls[call] = (calls[call] ?? 0) + 1;
};

const serve = (certificate: { key: string; cert: string }, engine: URL): Promise<number> =>
  listen(
    createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (outside) => {
      const inside = connect(Number(engine.port), engine.hostname);
      for (const socket of [outside, inside]) socket.setNoDelay(true);
      outside.on("data", count);
      // When one of them closes, so does the other.
      pipeline(outside, inside, outside, () => {});
    }),
  );

export const runTls = (): Promise<void> =>
  serveRequests(Message, async (message) => {
    if ("start" in message) return { port: await serve(message.start, new URL(message.start.engine)) };
    const counted = { calls };
    calls = {};
    return counted;
  });
