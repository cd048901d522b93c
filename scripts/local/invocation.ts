/** Invokes workers, and reads from their response which records of a batch have failed. */
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { sleep } from "../cli/sleep.ts";

/** Invokes a worker with a batch. @throws Error if the worker throws or does not respond in time */
export type Invoke = (event: unknown) => Promise<unknown>;

/** Returns the Unix socket for invocations, or null while the functions are restarting. */
export type SocketPath = () => string | null;

const PAUSE_MS = 50;

interface Invoking {
  /** The name of the worker in the service. */
  name: string;
  /** The limit of an invocation in milliseconds. */
  timeoutMs: number;
}

interface Reply {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Sends an event to a function over the Unix socket. @throws Error if the response is incomplete */
const send = async (
  socketPath: string,
  name: string,
  event: unknown,
  signal: AbortSignal,
): Promise<Reply> => {
  const path = `/2015-03-31/functions/${name}/invocations`;
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path, method: "POST", signal }, resolve)
      .once("error", reject)
      .end(JSON.stringify(event));
  });
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: await text(reply) };
};

/** Returns the worker's response, or null if the service was unreachable or ended before it responded. */
const post = async (
  socketPath: string,
  event: unknown,
  { name, timeoutMs }: Invoking,
  signal: AbortSignal,
): Promise<{ answer: unknown } | null> => {
  const late = AbortSignal.timeout(timeoutMs);
  const reply = await send(socketPath, name, event, AbortSignal.any([signal, late])).catch(
    (error: unknown) => {
      if (late.aborted) throw new Error(`the worker took longer than ${timeoutMs / 1_000} s`);
      if (signal.aborted) throw error;
      return null;
    },
  );
  if (reply === null) return null;
  const { status, headers, body } = reply;
  if (status >= 300 || headers["x-amz-function-error"] !== undefined) {
    throw new Error(`the worker failed: ${body.slice(0, 500)}`);
  }
  return { answer: body === "" ? null : JSON.parse(body) };
};

/**
 * Returns a function that invokes a worker over the service's Unix socket, as Lambda does. It waits for a service that
 * restarts.
 * @param signal aborts waiting and invocations
 */
export const makeInvoker = (at: SocketPath, invoking: Invoking, signal: AbortSignal): Invoke => {
  return async (event) => {
    while (!signal.aborted) {
      const socket = at();
      const answered = socket === null ? null : await post(socket, event, invoking, signal);
      if (answered !== null) return answered.answer;
      await sleep(PAUSE_MS, signal);
    }
    throw new Error("the service cannot be reached");
  };
};

const Failures = z.nullish(
  z.looseObject({
    batchItemFailures: z.nullish(
      z.array(z.looseObject({ itemIdentifier: z.string().check(z.minLength(1)) })),
    ),
  }),
);

/**
 * Returns the ids that a worker reports as failed, with Lambda's rules: an invalid response, or one with an unknown
 * id, means that all have failed.
 */
export const parseFailedIds = (answer: unknown, ids: readonly string[]): Set<string> => {
  const all = new Set(ids);
  const parsed = Failures.safeParse(answer === "" ? null : answer);
  if (!parsed.success) return all;
  const failed = new Set((parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  return failed.isSubsetOf(all) ? failed : all;
};
