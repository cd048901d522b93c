/** Processes one message of the queue. */
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { RESERVE, spread, workPage } from "../notifications/broadcast.ts";
import { pushGameEvents } from "../notifications/gameEvents.ts";

/** The rest of a batch is answered with bulk work: that stops well before the function's time is up. */
const early = (run: WorkerContext): WorkerContext => ({ ...run, timeLeft: () => run.timeLeft() - RESERVE });

/** Works on one message of the queue. @throws Error when it is to come again */
export const processMessage = async (run: WorkerContext, message: QueueMessage): Promise<void> => {
  // Bulk work is loaded by whoever goes on with it: most messages are pushes.
  switch (message.kind) {
    case "spread":
      return spread(run, message.subject, message.plan);
    case "page":
      return workPage(run, message);
    case "announce":
      return pushGameEvents(run, message);
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(early(run), message);
      return;
    }
    case "feed": {
      const { continueFeeding } = await import("../starvation/feedHungriest.ts");
      return continueFeeding(early(run), message.job_id);
    }
    case "removal": {
      const { continueDeletion } = await import("../accounts/deleteAccount.ts");
      return continueDeletion(early(run), message);
    }
  }
};
