/** The job that puts invitations into the outbox, each together with what is stored of its account. */

import type { Game } from "../../domain/game/game.ts";
import { lastInvited } from "../../domain/mail/account.ts";
import type { Standing } from "../../domain/mail/invitation.ts";
import {
  continueSelectionJob,
  type JobKind,
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import { InviteTask, originDetails } from "../../jobs/tasks.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { newLogEntry } from "../logEntry.ts";
import { invitationWrites, readStandings } from "./invitations.ts";

export const INVITE_JOB: JobKind = {
  what: "invitations by mail",
  message: (job_id) => ({ kind: "invite", job_id }),
};

/** An invitation takes three of the 100 writes of a transaction: the player's check, the account's mails, and the mail. */
const BATCH_SIZE = 30;

export interface InviteResult {
  /** How many invitations were put into the outbox. */
  count: number;
  /** How many of the chosen players got none. */
  skipped: number;
  complete: boolean;
  job_id: string | null;
}

/** The result of a job so far. */
export const inviteResult = (
  { selected }: Pick<InviteTask, "selected">,
  changed: number,
  job_id: string,
  complete: boolean,
): InviteResult => ({ count: changed, skipped: selected - changed, complete, job_id });

/**
 * Runs a job from its current state until it is done or time runs out. Each batch and the job's progress are one transaction, so
 * that a process that ends leaves nobody out, and the next one invites nobody twice.
 * @param started the job, if this call has just created it; `null` to take over an existing job
 * @throws DomainError `in_progress` while another process works on it; `unavailable`
 */
export const runInviteJob = (
  { services, game, requestId, timeLeft }: WorkerContext & { game: Game },
  task: InviteTask,
  jobId: string,
  started: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock } = services;
  const { actor, reason, once, began_at } = task;
  const context = { ...commandContext(services, clock()), reason };
  let standings = new Map<string, Standing>();
  return runSelectionJob(
    {
      ...{ store, clock, timeLeft, once, now: context.now, batchSize: BATCH_SIZE },
      rule: {
        // Also in the process that has just selected them: who has accepted, is banned or was refused is in items that the
        // transaction does not check, and the request may have run for half a minute since.
        prepare: async (players) => {
          standings = await mapBusyToUnavailable(readStandings(store, players, clock()));
        },
        decide: (player) => {
          const standing = standings.get(player.player_id);
          // Another command has invited them while this job waited for a process.
          if (standing === undefined || lastInvited(standing.account) >= began_at) return null;
          const writes = invitationWrites(player, standing, { newId: context.newId, now: clock() });
          return writes.length === 0 ? null : { outcome: { players: [], interactions: [] }, writes };
        },
      },
      finish: async (_results, changed) => {
        const body = { ...inviteResult(task, changed, jobId, true) };
        const details = { ...body, ...originDetails(task, requestId) };
        const log = newLogEntry(context, requestId, { action: "send_invitations", actor, details });
        return { body, changes: { basedOn: game, log } };
      },
    },
    jobId,
    started,
  );
};

/** Continues an unfinished job. @throws Error on failure, so that the queue delivers the message again */
export const continueInvitations = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run, INVITE_JOB, jobId, (context, job) =>
    runInviteJob(context, InviteTask.parse(job), jobId, null),
  );
