/** The queue's worker: delivers what is waiting to be pushed. */
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { queueWorker } from "../../lib/lambda/worker.ts";

export const handler = queueWorker("deliver", processMessage);
