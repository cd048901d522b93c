/** Runs functions as Lambda does, cold and warm, each in its own process on the subject's core. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { commandOn } from "./machine.ts";
import { request, startScript } from "./processes.ts";

const Reply = z.looseObject({
  statusCode: z.int(),
  headers: z.optional(z.record(z.string(), z.unknown())),
  body: z.optional(z.string()),
});
export type Reply = z.infer<typeof Reply>;

/** The time for loading the bundle, the time for the response, and the CPU time of both, in milliseconds. */
const First = z.object({ load: z.number(), respond: z.number(), cpu: z.number(), reply: Reply });
export type First = z.infer<typeof First>;

/** Starts a new process that loads a bundle and responds to one event. */
export const firstReply = async (bundle: string, event: object, env: NodeJS.ProcessEnv): Promise<First> => {
  const script = join(import.meta.dirname, "first.mjs");
  const [program = "", ...rest] = commandOn("subject", [process.execPath, script]);
  const child = spawn(program, rest, { env, stdio: ["pipe", "ignore", "inherit", "pipe"] });
  const output = child.stdio[3];
  if (!(output instanceof Readable) || child.stdin === null) throw new Error("a process has no pipes");
  child.stdin.end(JSON.stringify({ bundle, event, requestId: randomUUID() }));
  const result = await text(output);
  if (result === "") throw new Error(`${bundle} did not respond`);
  return First.parse(JSON.parse(result));
};

const Batch = z.object({
  wall: z.number(),
  cpu: z.number(),
  replies: z.array(Reply),
  times: z.array(z.number()),
});
/** Wall-clock and CPU time of all requests, and the wall-clock time of each, in milliseconds. */
export type Batch = z.infer<typeof Batch>;

/** Sends events to a warm function, `concurrency` of them at a time. */
export type Warm = (events: readonly object[], concurrency?: number) => Promise<Batch>;

/** Starts a process that loads a bundle and waits for events. */
export const startWarm = (bundle: string, env: NodeJS.ProcessEnv, cleanups: AsyncDisposableStack): Warm => {
  const script = join(import.meta.dirname, "lambda.mjs");
  const child = cleanups.use(startScript([script, bundle], { side: "subject", env, silent: true }));
  return (events, concurrency = 1) => request(child, { events, concurrency }, Batch);
};
