/** Processes one message of the queue. */
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";
import { deliverPage } from "../notifications/deliverPage.ts";
import { pushGameEvents } from "../notifications/gameEvents.ts";
import { WORKER_RESERVE_MS } from "../notifications/messageTiming.ts";
import { planAndQueuePages } from "../notifications/planBroadcast.ts";

/** Makes bulk work stop early, so that the function can report its batch of messages before its time runs out. */
const withReserve = (run: WorkerContext): WorkerContext => ({
  ...run,
  timeLeft: () => run.timeLeft() - WORKER_RESERVE_MS,
});

// Most messages are pushes, so the code of bulk work is loaded only when it is needed.

/** The kinds of jobs on selected players. */
const JOBS = {
  feed: async () => (await import("../starvation/feedJob.ts")).FEED_JOB,
  group: async () => (await import("../game/groupJob.ts")).GROUP_JOB,
  mission: async () => (await import("../missions/rewardJob.ts")).MISSION_JOB,
  invite: async () => (await import("../mail/inviteJob.ts")).INVITE_JOB,
};

/** Processes a message. @throws Error on failure, so that the queue delivers the message again */
export const processMessage = async (run: WorkerContext, message: QueueMessage): Promise<void> => {
  switch (message.kind) {
    case "plan_broadcast":
      return planAndQueuePages(run, message.subject, message.plan);
    case "page":
      return deliverPage(run, message);
    case "announce":
      return pushGameEvents(run, message);
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(withReserve(run), message);
      return;
    }
    case "feed":
    case "group":
    case "mission":
    case "invite": {
      const { continueSelectionJob } = await import("../../jobs/selectionJob.ts");
      return continueSelectionJob(withReserve(run), await JOBS[message.kind](), message.job_id);
    }
    case "removal": {
      const { continueDeletion } = await import("../accounts/deleteAccount.ts");
      return continueDeletion(withReserve(run), message);
    }
    case "newcomers": {
      const { checkNewcomerTags } = await import("../alerts/newcomers.ts");
      return checkNewcomerTags(run, message);
    }
    case "webhook": {
      const { deliverWebhook } = await import("../notifications/deliverWebhook.ts");
      return deliverWebhook(run, message);
    }
    case "mail": {
      const { sendMail } = await import("../mail/sendMail.ts");
      return sendMail(run, message);
    }
  }
};
