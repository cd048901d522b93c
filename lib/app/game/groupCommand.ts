/** Carries out a game master's command on a group of players, or previews it. */
import { invalidRequest } from "../../domain/domainError.ts";
import { type Player, stateOf } from "../../domain/players/player.ts";
import { BATCHES_RESERVE_MS, bulkChanges, isDecision } from "../../jobs/bulk.ts";
import type { CountResult } from "../../jobs/jobKind.ts";
import { respondByJob } from "../../jobs/respondByJob.ts";
import { MAX_SELECTED, startSelectionJob } from "../../jobs/selectionJob.ts";
import type { GroupCommand } from "../../jobs/tasks.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { type CommandResponse, storedResponse } from "../../store/idempotency.ts";
import { pageCollector } from "../../store/lists.ts";
import { GROUP_BATCH_SIZE, GROUP_JOB, groupRule } from "./groupJob.ts";
import { type Group, selectGroup } from "./selectGroup.ts";

/** The selection criteria, for the audit log. Aliases are personal data, so they are only counted. */
const auditCriteria = ({ aliases, label, state }: Group, { as, hidden }: GroupCommand) => ({
  ...(aliases === undefined ? {} : { aliases: aliases.length }),
  ...(label === undefined ? {} : { label }),
  ...(state === undefined ? {} : { state }),
  ...(as === undefined ? {} : { as }),
  ...(hidden === undefined ? {} : { hidden }),
});

/** Selects the group, as long as time is left. @throws DomainError `unavailable` */
async function* selectInTime(call: ReadCall, group: Group, command: GroupCommand) {
  const { game, now, player, services, timeLeft } = call;
  for await (const one of selectGroup(services.store, game, now, group, command, player)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    yield one;
  }
}

/**
 * Counts the players whom the command would change, and lists a page of them.
 * @param page.after a position of the list
 * @throws DomainError `player_not_found`, `unavailable`
 */
export const previewGroup = async (
  call: ReadCall,
  group: Group,
  command: GroupCommand,
  page: { limit: number; after: string | undefined },
) => {
  const { audit, game, now } = call;
  const listed = pageCollector<Player>(page.limit, page.after);
  let [count, skipped] = [0, 0];
  for await (const { applies, player, position } of selectInTime(call, group, command)) {
    if (!applies) {
      skipped += 1;
      continue;
    }
    count += 1;
    listed.add(position, player);
  }
  audit.details = { ...auditCriteria(group, command), dry_run: true, count, skipped };
  const { items, next } = listed.page();
  const players = items.map((player) => ({ alias: player.alias, state: stateOf(player, game, now) }));
  return {
    result: { count, skipped, complete: true, job_id: null, players },
    next,
    aliases: new Map(items.map(({ player_id, alias }) => [player_id, alias])),
  };
};

/**
 * The ids of all selected players to whom the command applies, the first of these players (as many as one transaction
 * can change), and the number of all selected players.
 */
const selectIds = async (
  call: ReadCall,
  group: Group,
  command: GroupCommand,
): Promise<{ ids: string[]; players: Player[]; selected: number }> => {
  const ids: string[] = [];
  const players: Player[] = [];
  let selected = 0;
  for await (const one of selectInTime(call, group, command)) {
    selected += 1;
    if (!one.applies) continue;
    ids.push(one.player.player_id);
    // A larger group is changed in a job, which reads the players again.
    if (players.length < GROUP_BATCH_SIZE) players.push(one.player);
  }
  return { ids, players, selected };
};

type Selection = Awaited<ReturnType<typeof selectIds>>;

/** Changes a few players in one transaction. On conflict, they are selected again. */
const runInRequest = (
  { audit, context, decide, player, services: { store } }: JobCall<CountResult>,
  group: Group,
  command: GroupCommand,
  first: Selection,
): Promise<CommandResponse> => {
  const rule = groupRule(command, player.player_id, context);
  return decide(async (attempt) => {
    const { ids, players, selected } = attempt.isRetry ? await selectIds(attempt, group, command) : first;
    // The group has grown: the next request changes it in a job.
    if (ids.length > GROUP_BATCH_SIZE) throw unavailable();
    const game = await store.gameFor(attempt.game, ...players);
    const decisions = players.map((target) => rule.decide(target, game)).filter(isDecision);
    const count = decisions.length;
    const result = { count, skipped: selected - count, complete: true, job_id: null };
    audit.details = { ...auditCriteria(group, command), ...result };
    return { changes: bulkChanges(decisions, game), result };
  });
};

/**
 * Applies a command to every selected player whose state allows it.
 * @throws DomainError `player_not_found`, `in_progress`, `key_reused`, `unavailable`, `invalid_request`
 */
export const runGroupCommand = async (
  call: JobCall<CountResult>,
  group: Group,
  command: GroupCommand,
): Promise<CommandResponse> => {
  const { idempotency, now, services } = call;
  const earlier = await storedResponse(services.store.db, idempotency, now);
  if (earlier !== undefined && earlier.job === undefined) return call.replay(earlier);
  const selection =
    earlier === undefined
      ? await mapBusyToUnavailable(selectIds(call, group, command))
      : { ids: [], players: [], selected: 0 };
  const { ids, selected } = selection;
  if (earlier === undefined && ids.length <= GROUP_BATCH_SIZE)
    return runInRequest(call, group, command, selection);
  const start = await startSelectionJob(call, GROUP_JOB, async () => {
    if (ids.length > MAX_SELECTED) {
      const message = `At most ${MAX_SELECTED.toLocaleString("en")} players can be changed at once: select fewer`;
      throw invalidRequest({ path: "", message });
    }
    return { selection: { ids }, task: { command, selected, selection: auditCriteria(group, command) } };
  });
  return respondByJob(call, GROUP_JOB, start);
};
