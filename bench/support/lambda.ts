/** Functions as on Lambda, each in a process of its own on the subject's core: cold and warm. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { commandOn } from "./machine.ts";
import { type Ends, request, startScript } from "./processes.ts";

const Reply = z.looseObject({
  statusCode: z.int(),
  headers: z.optional(z.record(z.string(), z.unknown())),
  body: z.optional(z.string()),
});
export type Reply = z.infer<typeof Reply>;

/** Milliseconds for loading the bundle and for the response after it, and processor time of both. */
const First = z.object({ load: z.number(), respond: z.number(), cpu: z.number(), reply: Reply });
export type First = z.infer<typeof First>;

/** Has a fresh process load a bundle and respond to one event. */
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

const Batch = z.object({ wall: z.number(), cpu: z.number(), replies: z.array(Reply) });
/** Wall and processor time of all requests, in milliseconds. */
export type Batch = z.infer<typeof Batch>;

/** Sends events to a warm function, so many concurrently. */
export type Warm = (events: readonly object[], concurrency?: number) => Promise<Batch>;

/** Starts a process that loads a bundle and waits for events. */
export const startWarm = (bundle: string, env: NodeJS.ProcessEnv, ends: Ends): Warm => {
  const script = join(import.meta.dirname, "lambda.mjs");
  const child = startScript([script, bundle], { side: "subject", env, silent: true });
  ends.push(() => child.kill());
  return (events, concurrency = 1) => request(child, { events, concurrency }, Batch);
};
