/** Processes one message of the queue. */
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { deliverPage } from "../notifications/deliverPage.ts";
import { pushGameEvents } from "../notifications/gameEvents.ts";
import { RESERVE_MS } from "../notifications/messageTiming.ts";
import { queuePages } from "../notifications/planBroadcast.ts";

/** Makes bulk work stop early, so that its batch of messages is reported before the function runs out of time. */
const withReserve = (run: WorkerContext): WorkerContext => ({
  ...run,
  timeLeft: () => run.timeLeft() - RESERVE_MS,
});

/** @throws Error when the message is to be delivered again */
export const processMessage = async (run: WorkerContext, message: QueueMessage): Promise<void> => {
  // Most messages are pushes, so the code of bulk work is loaded only when it is needed.
  switch (message.kind) {
    case "plan_broadcast":
      return queuePages(run, message.subject, message.plan);
    case "page":
      return deliverPage(run, message);
    case "announce":
      return pushGameEvents(run, message);
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(withReserve(run), message);
      return;
    }
    case "feed": {
      const { continueFeeding } = await import("../starvation/feedJob.ts");
      return continueFeeding(withReserve(run), message.job_id);
    }
    case "group": {
      const { continueGroupCommand } = await import("../game/groupJob.ts");
      return continueGroupCommand(withReserve(run), message.job_id);
    }
    case "removal": {
      const { continueDeletion } = await import("../accounts/deleteAccount.ts");
      return continueDeletion(withReserve(run), message);
    }
    case "newcomers": {
      const { checkNewcomerTags } = await import("../alarms/newcomers.ts");
      return checkNewcomerTags(run, message);
    }
    case "webhook": {
      const { deliverWebhook } = await import("../notifications/deliverWebhook.ts");
      return deliverWebhook(run, message);
    }
  }
};
