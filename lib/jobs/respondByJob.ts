/** Responds to a request that has started a job on selected players, or has found the one that it started before. */
import type { JobCall } from "../lambda/call.ts";
import { log } from "../runtime/log.ts";
import { unavailable } from "../store/commit.ts";
import { type CommandResponse, inProgress } from "../store/idempotency.ts";
import type { JobKind, StartedJob } from "./jobKind.ts";
import { readSelectionJob, runSelectionJob } from "./selectionJob.ts";
import type { JobStart } from "./startJob.ts";
import type { JobOrigin } from "./tasks.ts";

/**
 * Runs the job that a request has started or found, and responds with its result; or, if time runs out, with what is done, while
 * the queue continues it.
 * @throws DomainError `in_progress` while another process works on it; `unavailable`, also if the continuation cannot be queued:
 *   the job then continues when the caller sends the same request again or, if the message that was queued at its start is
 *   delivered, after its lease has expired
 */
export const respondByJob = async <Task extends JobOrigin, Body extends object>(
  call: JobCall<Body>,
  kind: JobKind<Task, Body>,
  start: JobStart<StartedJob>,
): Promise<CommandResponse> => {
  if ("response" in start) return call.replay(start.response);
  const { jobId, started } = start;
  const { requestId, services } = call;
  const job = started?.job ?? (await readSelectionJob(services.store, jobId));
  if (job === null) throw inProgress();
  const result = await runSelectionJob(call, kind, job, started);
  if ("response" in result) {
    call.auditLog.markWritten();
    return result.response;
  }
  const { body, details } = result.partial;
  call.audit.details = details;
  await services.queue.send([{ message: { kind: kind.kind, job_id: jobId } }]).catch((error: unknown) => {
    log.warn(`the continuation of ${kind.what} cannot be queued`, { request_id: requestId, error });
    throw unavailable();
  });
  return call.respond(body);
};
