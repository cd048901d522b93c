/** The stream worker: turns game events into queued push messages. */
import { processStreamRecords } from "../../lib/app/workers/streamWorker.ts";
import { streamWorker } from "../../lib/lambda/worker.ts";

export const handler = streamWorker("announce", processStreamRecords);
