/** A process that stands before the local engine and speaks TLS, as DynamoDB does; it counts the calls. */
import { connect } from "node:net";
import { createServer } from "node:tls";
import * as z from "zod/mini";
import { HOST } from "../../scripts/cli/ports.ts";
import { tell, untilLetGo } from "./processes.ts";

const Asked = z.union([
  z.object({ start: z.object({ key: z.string(), cert: z.string(), engine: z.url() }) }),
  /** What came since the last time. */
  z.object({ calls: z.literal(true) }),
]);
export const Serving = z.object({ port: z.int() });
export const Calls = z.object({ calls: z.record(z.string(), z.int()) });

/** What a call is, in its head; that is written in one piece. */
const TARGET = /x-amz-target: DynamoDB_20120810\.(\w+)/gi;

let calls: Record<string, number> = {};

const count = (chunk: Buffer): void => {
  for (const [, call = ""] of chunk.toString("latin1").matchAll(TARGET)) calls[call] = (calls[call] ?? 0) + 1;
};

const serve = async (certificate: { key: string; cert: string }, engine: URL): Promise<number> => {
  const server = createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (outside) => {
    const inside = connect(Number(engine.port), engine.hostname);
    for (const socket of [outside, inside]) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
    }
    outside.on("data", count);
    outside.pipe(inside).pipe(outside);
    outside.on("close", () => inside.destroy());
    inside.on("close", () => outside.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
};

/** Serves until the bench lets go. */
export const runTls = async (): Promise<void> => {
  process.on("message", async (raw: unknown) => {
    const asked = Asked.parse(raw);
    if ("start" in asked) {
      tell({ port: await serve(asked.start, new URL(asked.start.engine)) });
      return;
    }
    tell({ calls });
    calls = {};
  });
  await untilLetGo();
};
