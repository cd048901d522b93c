/** Resumes an enforcement, or its undo, that the request could not finish. */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import {
  actionOfJob,
  type EnforcementJob,
  enforcementBusy,
  readEnforcementJob,
} from "../../jobs/enforcementJob.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { type EnforcementResult, resultDetails, runEnforcement, unlockCheckpoint } from "./runEnforcement.ts";

/**
 * Resumes the enforcement of a checkpoint or of missions, or its undo.
 * @param work.jobId the job that the game names
 * @returns `false` if another run has to continue it
 */
export const resumeEnforcement = async (
  { services, requestId, timeLeft }: WorkerContext,
  { game, context, jobId }: { game: Game; context: CommandContext; jobId: string },
): Promise<boolean> => {
  const { store } = services;
  if ((await readEnforcementJob(store, jobId)) === null) {
    await unlockCheckpoint(store, jobId, timeLeft);
    return true;
  }
  const run = {
    services,
    game,
    context,
    timeLeft,
    leaseHeldError: enforcementBusy,
    completionWrites: (result: EnforcementResult, job: EnforcementJob) => {
      const { actor, reason } = job;
      const details = { ...resultDetails(job, result), ...(reason === undefined ? {} : { reason }) };
      return { log: newLogEntry(context, requestId, { action: actionOfJob(job), actor, details }) };
    },
  };
  try {
    return (await runEnforcement(run, jobId, null)).result.complete;
  } catch (error) {
    // Another process is running it, or the database is busy; the next sweep tries again.
    if (!(error instanceof DomainError)) throw error;
    return true;
  }
};
