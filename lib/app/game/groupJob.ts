/** The job that carries out a command on each player of a group. */
import * as z from "zod/mini";
import type { Game } from "../../domain/clock.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { stateOf } from "../../domain/player.ts";
import { feedPlayer, reviveHuman, reviveZombie, type TargetCommand } from "../../domain/transitions.ts";
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
import { GroupCommand, GroupResponse } from "./groupRequest.ts";

/** A revival takes up to four of the 100 writes of a transaction: player, tag code, a starvation that is due, revival. */
export const PLAYERS_PER_BATCH = 24;

/** The job's stored parameters. */
export const GroupTask = z.object({
  command: GroupCommand,
  actor: z.string(),
  /** The request that started the job. */
  request_id: z.string(),
  reason: z.optional(z.string()),
  /** The number of selected players, also of those to whom the command does not apply. */
  selected: z.int(),
  /** What selected them, for the log. */
  selection: z.record(z.string(), z.unknown()),
  /** The idempotency key under which the response is stored. */
  once: z.nullable(z.object({ who: z.string(), key: z.string(), fingerprint: z.string() })),
});
export type GroupTask = z.infer<typeof GroupTask>;

const commandOf = ({ action, as }: GroupCommand): TargetCommand => {
  if (action === "feed_group") return feedPlayer;
  return as === "zombie" ? reviveZombie : reviveHuman;
};

/** Applies the command to a player who is still in the state that it needs. */
export const groupRule = (
  command: GroupCommand,
  actor: string,
  context: CommandContext,
): Pick<BulkRule, "decide"> => ({
  decide: (target, game) => {
    if (stateOf(target, game, context.now) !== command.from) return null;
    return { outcome: commandOf(command)({ game, target, actor }, context) };
  },
});

/** The response of a job. Who left the state meanwhile is skipped too. */
export const groupResponse = ({ selected }: GroupTask, changed: number, jobId: string): GroupResponse => ({
  count: changed,
  skipped: selected - changed,
  complete: true,
  job_id: jobId,
});

/**
 * Runs a job from its current state until it is done or time runs out. The transaction that ends the job writes the
 * audit log entry.
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
      ...{ store, clock, timeLeft },
      rule: groupRule(command, actor, context),
      batchSize: PLAYERS_PER_BATCH,
      finish: async (_results, changed) => {
        const body = GroupResponse.parse(groupResponse(task, changed, jobId));
        const response = { status: 200, body: JSON.stringify(body) };
        const startedBy = request_id === requestId ? {} : { asked_by: request_id };
        const why = reason === undefined ? {} : { reason };
        const details = { ...selection, ...body, ...startedBy, ...why };
        const log = newLogEntry(context, requestId, { action: command.action, actor, details });
        const writes = completeResponse(once ?? undefined, response, context.now);
        return { response, changes: { seen: game, writes, log } };
      },
    },
    jobId,
    started,
  );
};

/** The queue message that continues a job. @param delayMs when to deliver it */
export const groupMessage = (job_id: string, delayMs = 0): Outbound => ({
  message: { kind: "group", job_id },
  delay: delayMs,
});

/** Continues a job that its caller did not finish. @throws Error when the message is to be delivered again */
export const continueGroupCommand = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run.services, jobId, groupMessage, async (job) => {
    const game = await run.services.store.game();
    return runGroupJob({ ...run, game }, GroupTask.parse(job), jobId, null);
  });
