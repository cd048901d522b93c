/** Responds to a request that has started a job on selected players, or has found the one that it started before. */
import type { JobCall } from "../lambda/call.ts";
import { log } from "../runtime/log.ts";
import { unavailable } from "../store/commit.ts";
import { type CommandResponse, inProgress } from "../store/idempotency.ts";
import {
  type JobKind,
  readSelectionJob,
  type SelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "./selectionJob.ts";
import type { JobStart } from "./startJob.ts";

/**
 * Queues the continuation of a job whose request has run out of time.
 * @throws DomainError `unavailable` if that fails. The job then continues when the caller sends the same request again
 *   or, if the message that was queued at its start is delivered, after its lease has expired.
 */
export const queueContinuation = (
  { requestId, services: { queue } }: Pick<JobCall<never>, "requestId" | "services">,
  { what, message }: JobKind,
  jobId: string,
): Promise<void> =>
  queue.send([{ message: message(jobId) }]).catch((error: unknown) => {
    log.warn(`the continuation of ${what} cannot be queued`, { request_id: requestId, error });
    throw unavailable();
  });

/**
 * Runs the job that a request has started or found, and responds with its result; or, if time runs out, with what is done, while
 * the queue continues it.
 * @param work.parse reads the task that is stored with the job
 * @param work.details further details of an unfinished job for the audit log
 * @throws DomainError `in_progress` while another process works on it; `unavailable`
 */
export const respondByJob = async <Task, Result extends object>(
  call: JobCall<Result>,
  kind: JobKind,
  start: JobStart<StartedJob>,
  work: {
    parse: (job: SelectionJob) => Task;
    run: (task: Task, jobId: string, started: StartedJob | null) => Promise<SelectionJobResult>;
    partial: (
      task: Task,
      done: { changed: number; results: Record<string, unknown>[]; jobId: string },
    ) => Result;
    details?: (task: Task) => Record<string, unknown>;
  },
): Promise<CommandResponse> => {
  if ("response" in start) return start.response;
  const { jobId, started } = start;
  const job = started?.job ?? (await readSelectionJob(call.services.store, jobId));
  if (job === null) throw inProgress();
  const task = work.parse(job);
  const result = await work.run(task, jobId, started);
  if ("response" in result) {
    call.auditLog.markWritten();
    return result.response;
  }
  const { changed, partialResults } = result;
  const partial = work.partial(task, { changed, results: partialResults, jobId });
  call.audit.details = { ...work.details?.(task), ...partial };
  await queueContinuation(call, kind, jobId);
  return call.respond(partial);
};
