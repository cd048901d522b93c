/** The stream's worker: turns what has happened in the game into messages to be pushed. */
import { processStreamRecords } from "../../lib/app/workers/streamWorker.ts";
import { streamWorker } from "../../lib/lambda/worker.ts";

export const handler = streamWorker("announce", processStreamRecords);
