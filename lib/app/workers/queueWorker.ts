/** Processes one message of the queue. */
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { deliverPage, queuePages, RESERVE_MS } from "../notifications/broadcast.ts";
import { pushGameEvents } from "../notifications/gameEvents.ts";

/** The rest of a batch is answered with bulk work: that stops well before the function's time is up. */
const early = (run: WorkerContext): WorkerContext => ({
  ...run,
  timeLeft: () => run.timeLeft() - RESERVE_MS,
});

/** Works on one message of the queue. @throws Error when it is to come again */
export const processMessage = async (run: WorkerContext, message: QueueMessage): Promise<void> => {
  // Bulk work is loaded by whoever goes on with it: most messages are pushes.
  switch (message.kind) {
    case "spread":
      return queuePages(run, message.subject, message.plan);
    case "page":
      return deliverPage(run, message);
    case "announce":
      return pushGameEvents(run, message);
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(early(run), message);
      return;
    }
    case "feed": {
      const { continueFeeding } = await import("../starvation/feedJob.ts");
      return continueFeeding(early(run), message.job_id);
    }
    case "removal": {
      const { continueDeletion } = await import("../accounts/deleteAccount.ts");
      return continueDeletion(early(run), message);
    }
  }
};
