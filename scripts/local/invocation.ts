/** What pollers have in common: how a worker is invoked, and how its answer says which of a batch has failed. */
import * as z from "zod/mini";

/** Invokes a worker with a batch. @throws Error when the worker threw, or did not answer in time */
export type Invoke = (event: unknown, signal?: AbortSignal) => Promise<unknown>;

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
