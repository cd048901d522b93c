/** What pollers have in common: how a worker is invoked, and how its answer says which of a batch has failed. */
import * as z from "zod/mini";
import { pauseUnless } from "./pause.ts";

/** Invokes a worker with a batch. @throws Error when the worker threw, or did not answer in time */
export type Invoke = (event: unknown) => Promise<unknown>;

/** Where the workers can be invoked now; null while they are being started anew. */
export type At = () => string | null;

const PAUSE_MS = 50;

interface Invoking {
  /** How the service calls the worker. */
  name: string;
  /** What an invocation may take; milliseconds. */
  timeout: number;
  /** How long to wait for a service that cannot be reached, as when it is started anew; milliseconds. */
  patience: number;
}

/** The worker's answer, or null when the service could not be reached, or was gone before it came. */
const post = async (
  url: string,
  event: unknown,
  { timeout }: Invoking,
  signal: AbortSignal,
): Promise<{ answer: unknown } | null> => {
  const late = AbortSignal.timeout(timeout);
  try {
    const reply = await fetch(url, {
      method: "POST",
      body: JSON.stringify(event),
      signal: AbortSignal.any([signal, late]),
    });
    const text = await reply.text();
    if (!reply.ok || reply.headers.has("x-amz-function-error")) {
      throw new Error(`the worker has failed: ${text.slice(0, 500)}`);
    }
    return { answer: text === "" ? null : JSON.parse(text) };
  } catch (error) {
    if (late.aborted) throw new Error(`the worker takes longer than ${timeout / 1_000} s`);
    // What fetch throws when there is no connection, or not to the end.
    if (error instanceof TypeError) return null;
    throw error;
  }
};

/**
 * Invokes a worker through the service's own door for Lambda.
 * @param signal gives up
 */
export const invokeOver = (at: At, invoking: Invoking, signal: AbortSignal): Invoke => {
  return async (event) => {
    const until = Date.now() + invoking.patience;
    while (Date.now() < until && !signal.aborted) {
      const base = at();
      const url = `${base}/2015-03-31/functions/${invoking.name}/invocations`;
      const answered = base === null ? null : await post(url, event, invoking, signal);
      if (answered !== null) return answered.answer;
      await pauseUnless(PAUSE_MS, signal);
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
export const failedOf = (answer: unknown, ids: readonly string[]): Set<string> => {
  const all = new Set(ids);
  const parsed = Failures.safeParse(answer === "" ? null : answer);
  if (!parsed.success) return all;
  const failed = new Set((parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  return failed.isSubsetOf(all) ? failed : all;
};
