/** The queue's worker: delivers what is waiting to be pushed. */
import { deliverMessage } from "../../lib/http/delivery.ts";
import { queueWorker } from "../../lib/http/worker.ts";

export const handler = queueWorker("deliver", deliverMessage);
