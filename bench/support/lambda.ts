/** Functions as Lambda runs them, each in a process of its own on the subject's core: for the first time, and warm. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { commandOn } from "./machine.ts";
import { ask, type Ends, startScript } from "./processes.ts";

const Reply = z.looseObject({
  statusCode: z.int(),
  headers: z.optional(z.record(z.string(), z.unknown())),
  body: z.optional(z.string()),
});
export type Reply = z.infer<typeof Reply>;

/** Milliseconds of loading the bundle, of the answer after it, of all since the process began; and of the core for the first two. */
const First = z.object({
  load: z.number(),
  answer: z.number(),
  all: z.number(),
  cpu: z.number(),
  reply: Reply,
});
export type First = z.infer<typeof First>;

/** Has a fresh process load a bundle and answer one request. */
export const firstAnswer = async (bundle: string, event: object, env: NodeJS.ProcessEnv): Promise<First> => {
  const script = join(import.meta.dirname, "first.mjs");
  const [program = "", ...rest] = commandOn("subject", [process.execPath, script]);
  const child = spawn(program, rest, { env, stdio: ["pipe", "ignore", "inherit", "pipe"] });
  const told = child.stdio[3];
  if (!(told instanceof Readable) || child.stdin === null) throw new Error("a process without its pipes");
  child.stdin.end(JSON.stringify({ bundle, event, requestId: randomUUID() }));
  const said = await text(told);
  if (said === "") throw new Error(`${bundle} did not answer`);
  return First.parse(JSON.parse(said));
};

const Answered = z.object({ wall: z.number(), cpu: z.number(), replies: z.array(Reply) });
/** Wall time and that of the core, in milliseconds, for all of them. */
export type Answered = z.infer<typeof Answered>;

/** Answers requests, so many at once. */
export type Warm = (events: readonly object[], atOnce?: number) => Promise<Answered>;

/** Starts a process that loads a bundle and waits for requests. */
export const startWarm = (bundle: string, env: NodeJS.ProcessEnv, ends: Ends): Warm => {
  const script = join(import.meta.dirname, "lambda.mjs");
  const child = startScript([script, bundle], { side: "subject", env, silent: true });
  ends.push(() => child.kill());
  return (events, atOnce = 1) => ask(child, { events, atOnce }, Answered);
};
