/** What pollers have in common: how a worker is invoked, and how its answer says which of a batch has failed. */
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { sleep } from "../cli/sleep.ts";

/** Invokes a worker with a batch. @throws Error when the worker threw, or did not answer in time */
export type Invoke = (event: unknown) => Promise<unknown>;

/** The Unix socket at which functions can be invoked now; null while they are being started anew. */
export type SocketPath = () => string | null;

const PAUSE_MS = 50;

interface Invoking {
  /** How the service calls the worker. */
  name: string;
  /** What an invocation may take; milliseconds. */
  timeout: number;
  /** How long to wait for a service that cannot be reached, as when it is started anew; milliseconds. */
  patience: number;
}

interface Reply {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Sends an event to a function at the service's Unix socket. @throws Error when there is no whole reply */
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

/** The worker's answer, or null when the service could not be reached, or ended before it had answered. */
const post = async (
  socketPath: string,
  event: unknown,
  { name, timeout }: Invoking,
  signal: AbortSignal,
): Promise<{ answer: unknown } | null> => {
  const late = AbortSignal.timeout(timeout);
  const reply = await send(socketPath, name, event, AbortSignal.any([signal, late])).catch(
    (error: unknown) => {
      if (late.aborted) throw new Error(`the worker takes longer than ${timeout / 1_000} s`);
      if (signal.aborted) throw error;
      return null;
    },
  );
  if (reply === null) return null;
  const { status, headers, body } = reply;
  if (status >= 300 || headers["x-amz-function-error"] !== undefined) {
    throw new Error(`the worker has failed: ${body.slice(0, 500)}`);
  }
  return { answer: body === "" ? null : JSON.parse(body) };
};

/**
 * Invokes a worker as Lambda does, at the service's Unix socket for invocations.
 * @param signal gives up
 */
export const makeInvoker = (at: SocketPath, invoking: Invoking, signal: AbortSignal): Invoke => {
  return async (event) => {
    const until = Date.now() + invoking.patience;
    while (Date.now() < until && !signal.aborted) {
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
 * Which of a batch a worker reports as failed, read as Lambda reads it: an answer of another shape, or one that names
 * what was not in the batch, means all of it.
 */
export const parseFailedIds = (answer: unknown, ids: readonly string[]): Set<string> => {
  const all = new Set(ids);
  const parsed = Failures.safeParse(answer === "" ? null : answer);
  if (!parsed.success) return all;
  const failed = new Set((parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  return failed.isSubsetOf(all) ? failed : all;
};
