/** The queue worker: delivers push messages and continues jobs. */
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { queueWorker } from "../../lib/lambda/worker.ts";

export const handler = queueWorker("deliver", processMessage);
