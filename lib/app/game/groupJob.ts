/** The job that carries out a command on each player of a group. */
import * as z from "zod/mini";
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
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Outbound } from "../../queue/queue.ts";
import { completeResponse } from "../../store/idempotency.ts";
import { newLogEntry } from "../logEntry.ts";
import { GroupCommand, GroupResponse, isFor } from "./groupRequest.ts";

/**
 * Reviving a player can take five of the 100 writes of a transaction: player, tag code, the code of a hidden original
 * zombie as a human, revival, and a due starvation. Who needs a decision is not revived.
 */
export const GROUP_BATCH_SIZE = 19;

/** The job's stored parameters. */
export const GroupTask = z.object({
  command: GroupCommand,
  actor: z.string(),
  /** The request that started the job. */
  request_id: z.string(),
  reason: z.optional(z.string()),
  /** The number of selected players, including those to whom the command does not apply. */
  selected: z.int(),
  /** The selection criteria, for the audit log. */
  selection: z.record(z.string(), z.unknown()),
  /** The idempotency key under which the response is stored. */
  once: z.nullable(z.object({ who: z.string(), key: z.string(), fingerprint: z.string() })),
});
export type GroupTask = z.infer<typeof GroupTask>;

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

/** The response of a finished job. Players whose state changed in the meantime also count as skipped. */
export const groupResponse = ({ selected }: GroupTask, changed: number, jobId: string): GroupResponse => ({
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
  const { command, actor, reason, request_id, selection, once } = task;
  const context = { ...commandContext(services, clock()), reason };
  return runSelectionJob(
    {
      store,
      clock,
      timeLeft,
      rule: groupRule(command, actor, context),
      batchSize: GROUP_BATCH_SIZE,
      finish: async (_results, changed) => {
        const body = GroupResponse.parse(groupResponse(task, changed, jobId));
        const response = { status: 200, body: JSON.stringify(body) };
        const details = {
          ...selection,
          ...body,
          ...(request_id === requestId ? {} : { asked_by: request_id }),
          ...(reason === undefined ? {} : { reason }),
        };
        const log = newLogEntry(context, requestId, { action: command.action, actor, details });
        const writes = completeResponse(once ?? undefined, response, context.now);
        return { response, changes: { basedOn: game, writes, log } };
      },
    },
    jobId,
    started,
  );
};

/** The queue message that continues a job. @param delayMs how long to delay it, in milliseconds */
export const groupMessage = (job_id: string, delayMs = 0): Outbound => ({
  message: { kind: "group", job_id },
  delay: delayMs,
});

/** Continues an unfinished job. @throws Error on failure, so that the queue delivers the message again */
export const continueGroupJob = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run.services, jobId, groupMessage, async (job) => {
    const game = await run.services.store.game();
    return runGroupJob({ ...run, game }, GroupTask.parse(job), jobId, null);
  });
