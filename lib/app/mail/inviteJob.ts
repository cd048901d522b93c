/** The job that puts invitations into the outbox, each together with what is stored of its account. */
import { lastInvited } from "../../domain/mail/account.ts";
import type { Standing } from "../../domain/mail/invitation.ts";
import { type CountResult, countResult, type JobKind } from "../../jobs/jobKind.ts";
import { InviteTask } from "../../jobs/tasks.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { invitationWrites, readStandings } from "./invitations.ts";

/** An invitation takes three of the 100 writes of a transaction: the player's check, the account's mails, and the mail. */
const BATCH_SIZE = 30;

/**
 * Each batch and the job's progress are one transaction, so that a process that ends leaves nobody out, and the next one invites
 * nobody twice.
 */
export const INVITE_JOB: JobKind<InviteTask, CountResult> = {
  what: "invitations by mail",
  kind: "invite",
  parse: (job) => InviteTask.parse(job),
  action: () => "send_invitations",
  work: ({ services: { store, clock }, task: { began_at }, context }) => {
    let standings = new Map<string, Standing>();
    return {
      batchSize: BATCH_SIZE,
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
    };
  },
  result: (run, done) => {
    const body = countResult(run, done);
    return { body, details: { ...body } };
  },
};
