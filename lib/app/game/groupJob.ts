/** The job that carries out a command on each player of a group. */
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { needsDecision } from "../../domain/players/player.ts";
import {
  feedPlayer,
  reviveHuman,
  reviveZombie,
  type TargetCommand,
} from "../../domain/players/transitions.ts";
import type { BulkRule } from "../../jobs/bulk.ts";
import {
  continueSelectionJob,
  type JobKind,
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import { type GroupCommand, GroupTask, originDetails } from "../../jobs/tasks.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { newLogEntry } from "../logEntry.ts";
import { isFor } from "./selectGroup.ts";

/**
 * Reviving a player can take five of the 100 writes of a transaction: player, tag code, the code of a hidden original
 * zombie as a human, revival, and a due starvation. Who needs a decision is not revived.
 */
export const GROUP_BATCH_SIZE = 19;

export const GROUP_JOB: JobKind = {
  what: "a bulk command",
  message: (job_id) => ({ kind: "group", job_id }),
};

export interface GroupResult {
  /** The number of players who were changed. */
  count: number;
  /** The number of other selected players, whose state does not allow the command. */
  skipped: number;
  /** Whether the command is finished. */
  complete: boolean;
  job_id: string | null;
}

const transitionFor = ({ action, as }: GroupCommand): TargetCommand => {
  if (action === "feed_group") return feedPlayer;
  return as === "zombie" ? reviveZombie : reviveHuman;
};

/** Applies the command to each player who is still in the state that it requires. */
export const groupRule = (
  command: GroupCommand,
  actor: string,
  context: CommandContext,
): Pick<BulkRule, "decide"> => ({
  decide: (target, game) => {
    if (!isFor(target, command, actor, game, context.now) || needsDecision(target)) return null;
    return { outcome: transitionFor(command)({ game, target, actor, hidden: command.hidden }, context) };
  },
});

/** The result of a finished job. Players whose state changed in the meantime also count as skipped. */
export const groupResult = ({ selected }: GroupTask, changed: number, jobId: string) => ({
  count: changed,
  skipped: selected - changed,
  complete: true,
  job_id: jobId,
});

/**
 * Runs a job from its current state until it is done or time runs out. The transaction that ends the job writes the
 * audit log entry.
 * @param started the job, if this call has just created it; `null` to take over an existing job
 * @throws DomainError `in_progress` while another process works on it; `unavailable`
 */
export const runGroupJob = (
  { services, game, requestId, timeLeft }: WorkerContext & { game: Game },
  task: GroupTask,
  jobId: string,
  started: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock } = services;
  const { command, actor, reason, selection, once } = task;
  const context = { ...commandContext(services, clock()), reason };
  return runSelectionJob(
    {
      store,
      clock,
      timeLeft,
      rule: groupRule(command, actor, context),
      batchSize: GROUP_BATCH_SIZE,
      once,
      now: context.now,
      finish: async (_results, changed) => {
        const body = groupResult(task, changed, jobId);
        const details = { ...selection, ...body, ...originDetails(task, requestId) };
        const log = newLogEntry(context, requestId, { action: command.action, actor, details });
        return { body, changes: { basedOn: game, log } };
      },
    },
    jobId,
    started,
  );
};

/** Continues an unfinished job. @throws Error on failure, so that the queue delivers the message again */
export const continueGroupJob = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run, GROUP_JOB, jobId, (context, job) =>
    runGroupJob(context, GroupTask.parse(job), jobId, null),
  );
