/** The job that carries out a command on each player of a group. */
import type { CommandContext } from "../../domain/outcome.ts";
import { needsDecision } from "../../domain/players/player.ts";
import {
  feedPlayer,
  reviveHuman,
  reviveZombie,
  type TargetCommand,
} from "../../domain/players/transitions.ts";
import type { BulkRule } from "../../jobs/bulk.ts";
import { type CountResult, countResult, type JobKind } from "../../jobs/jobKind.ts";
import { type GroupCommand, GroupTask } from "../../jobs/tasks.ts";
import { isFor } from "./selectGroup.ts";

/**
 * Reviving a player can take five of the 100 writes of a transaction: player, tag code, the code of a hidden original
 * zombie as a human, revival, and a due starvation. Who needs a decision is not revived.
 */
export const GROUP_BATCH_SIZE = 19;

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

/** Each player to whom the command still applies is changed. Players whose state has changed meanwhile count as skipped. */
export const GROUP_JOB: JobKind<GroupTask, CountResult> = {
  what: "a bulk command",
  kind: "group",
  parse: (job) => GroupTask.parse(job),
  action: ({ command }) => command.action,
  work: ({ task: { command, actor }, context }) => ({
    rule: groupRule(command, actor, context),
    batchSize: GROUP_BATCH_SIZE,
  }),
  result: (run, done) => {
    const body = countResult(run, done);
    return { body, details: { ...run.task.selection, ...body } };
  },
};
