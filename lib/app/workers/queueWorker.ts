/** Processes one message of the queue. */
import type { Run } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { RESERVE, spread, workPage } from "../notifications/broadcast.ts";
import { announceAll } from "../notifications/gameEvents.ts";

/** The rest of a batch is answered with bulk work: that stops well before the function's time is up. */
const early = (run: Run): Run => ({ ...run, timeLeft: () => run.timeLeft() - RESERVE });

/** Works on one message of the queue. @throws Error when it is to come again */
export const deliverMessage = async (run: Run, message: QueueMessage): Promise<void> => {
  // Bulk work is loaded by whoever goes on with it: most messages are pushes.
  switch (message.kind) {
    case "spread":
      return spread(run, message.subject, message.plan);
    case "page":
      return workPage(run, message);
    case "announce":
      return announceAll(run, message);
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(early(run), message);
      return;
    }
    case "feed": {
      const { goOnFeeding } = await import("../starvation/feedHungriest.ts");
      return goOnFeeding(early(run), message.job_id);
    }
    case "removal": {
      const { goOnLeaving } = await import("../accounts/deleteAccount.ts");
      return goOnLeaving(early(run), message);
    }
  }
};
