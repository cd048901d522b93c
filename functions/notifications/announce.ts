/** The stream's worker: turns what has happened in the game into messages to be pushed. */
import { announceRecords } from "../../lib/http/announce.ts";
import { streamWorker } from "../../lib/http/worker.ts";

export const handler = streamWorker("announce", announceRecords);
