/** Carries out a game master's command on a group of players, or previews it. */
import { v7 } from "uuid";
import { invalidRequest } from "../../domain/domainError.ts";
import { type Player, stateOf } from "../../domain/players/player.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import { bulkChanges, isDecision, RESERVE_MS } from "../../jobs/bulk.ts";
import {
  AFTER_LEASE_MS,
  MAX_SELECTED,
  newSelectionJob,
  queueContinuation,
  readSelectionJob,
} from "../../jobs/selectionJob.ts";
import { startJob } from "../../jobs/startJob.ts";
import { log } from "../../runtime/log.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { type CommandResponse, inProgress, storedResponse } from "../../store/idempotency.ts";
import { compareBytes } from "../../store/lists.ts";
import { reloadOnRetry } from "../currentState.ts";
import {
  GROUP_BATCH_SIZE,
  GroupTask,
  groupMessage,
  groupResponse,
  groupRule,
  runGroupJob,
} from "./groupJob.ts";
import {
  type GroupCall,
  type GroupCommand,
  type GroupResponse,
  type Selected,
  selectGroup,
} from "./groupRequest.ts";

/** The selection criteria, for the audit log. Aliases are personal data, so they are only counted. */
const auditCriteria = ({ aliases, label, state }: GroupCall["body"], { as, hidden }: GroupCommand) => ({
  ...(aliases === undefined ? {} : { aliases: aliases.length }),
  ...(label === undefined ? {} : { label }),
  ...(state === undefined ? {} : { state }),
  ...(as === undefined ? {} : { as }),
  ...(hidden === undefined ? {} : { hidden }),
});

/** Selects the group, as long as time is left. @throws DomainError `unavailable` */
async function* selectInTime(call: GroupCall, command: GroupCommand) {
  const { body, game, now, player, services, timeLeft } = call;
  for await (const one of selectGroup(services.store, game, now, body, command, player)) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    yield one;
  }
}

/** Counts the players whom the command would change, and lists a page of them. */
const preview = async (
  call: GroupCall,
  command: GroupCommand,
): Promise<{ result: GroupResponse; aliases: Map<string, string> }> => {
  const { audit, body, game, now, services } = call;
  const { aliases, label, state, limit = 100, cursor } = body;
  const filters = { ...command, aliases: aliases?.join("\n"), label, state };
  const cursorScope = { list: "group", filters };
  const after = (await readCursor(services, cursorScope, cursor)) ?? "";
  const listed: Selected[] = [];
  let [count, skipped] = [0, 0];
  for await (const one of selectInTime(call, command)) {
    if (!one.applies) {
      skipped += 1;
      continue;
    }
    count += 1;
    if (listed.length <= limit && compareBytes(one.position, after) > 0) listed.push(one);
  }
  audit.details = { ...auditCriteria(body, command), dry_run: true, count, skipped };
  const page = listed.slice(0, limit);
  const last = listed.length > limit ? (page.at(-1)?.position ?? null) : null;
  const players = page.map(({ player }) => ({ alias: player.alias, state: stateOf(player, game, now) }));
  const next_cursor = await makeCursor(services, cursorScope, last);
  return {
    result: { count, skipped, complete: true, job_id: null, players, next_cursor },
    aliases: new Map(page.map(({ player }) => [player.player_id, player.alias])),
  };
};

/**
 * The ids of all selected players to whom the command applies, the first of these players (as many as one transaction
 * can change), and the number of all selected players.
 */
const selectIds = async (
  call: GroupCall,
  command: GroupCommand,
): Promise<{ ids: string[]; players: Player[]; selected: number }> => {
  const ids: string[] = [];
  const players: Player[] = [];
  let selected = 0;
  for await (const one of selectInTime(call, command)) {
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
const runInRequest = (call: GroupCall, command: GroupCommand, first: Selection): Promise<CommandResponse> => {
  const { audit, body, context, player, services } = call;
  const { store } = services;
  const { decide } = groupRule(command, player.player_id, context);
  const reload = reloadOnRetry(call);
  return call.decide(async ({ isRetry }) => {
    const { game: loaded } = await reload();
    const { ids, players, selected } = isRetry ? await selectIds({ ...call, game: loaded }, command) : first;
    // The group has grown: the next request changes it in a job.
    if (ids.length > GROUP_BATCH_SIZE) throw unavailable();
    const game = await store.gameFor(loaded, ...players);
    const decisions = players.map((target) => decide(target, game)).filter(isDecision);
    const count = decisions.length;
    const response = { count, skipped: selected - count, complete: true, job_id: null };
    audit.details = { ...auditCriteria(body, command), ...response };
    return { changes: bulkChanges(decisions, game), result: response };
  });
};

/** Creates the job, or finds the job of an earlier request. */
const startGroupJob = (call: GroupCall, command: GroupCommand, { ids, selected }: Selection) => {
  const { body, context, idempotency, now, player, requestId, services, timeLeft } = call;
  const { store, queue } = services;
  const prepare = async () => {
    if (ids.length > MAX_SELECTED) {
      const message = `At most ${MAX_SELECTED.toLocaleString("en")} players can be changed at once: select fewer`;
      throw invalidRequest({ path: "", message });
    }
    const jobId = v7();
    const task: GroupTask = {
      command,
      actor: player.player_id,
      request_id: requestId,
      ...(context.reason === undefined ? {} : { reason: context.reason }),
      selected,
      selection: auditCriteria(body, command),
      once: idempotency ?? null,
    };
    // If this process dies, the queue continues the job after its lease has expired.
    await queue.send([groupMessage(jobId, AFTER_LEASE_MS)]).catch((error: unknown) => {
      log.warn("a bulk command is not resumed if it is interrupted", { request_id: requestId, error });
    });
    const { started, writes } = newSelectionJob(jobId, { ids }, now, task);
    return { jobId, started: { ...started, task }, writes };
  };
  return startJob({ store, idempotency, now, timeLeft, prepare });
};

/** The stored task of a job that an earlier request has started. @throws DomainError `in_progress` */
const readTask = async ({ services }: GroupCall, jobId: string): Promise<GroupTask> => {
  const job = await readSelectionJob(services.store, jobId);
  if (job === null) throw inProgress();
  return GroupTask.parse(job);
};

const carryOut = async (call: GroupCall, command: GroupCommand): Promise<CommandResponse> => {
  const { audit, auditLog, idempotency, now, requestId, services } = call;
  const earlier = await storedResponse(services.store.db, idempotency, now);
  if (earlier !== undefined && earlier.job === undefined) return call.replay(earlier);
  const selection =
    earlier === undefined
      ? await mapBusyToUnavailable(selectIds(call, command))
      : { ids: [], players: [], selected: 0 };
  if (earlier === undefined && selection.ids.length <= GROUP_BATCH_SIZE) {
    return runInRequest(call, command, selection);
  }
  const jobStart = await startGroupJob(call, command, selection);
  if ("response" in jobStart) return jobStart.response;
  const { jobId, started } = jobStart;
  const task = started?.task ?? (await readTask(call, jobId));
  const result = await runGroupJob(call, task, jobId, started);
  if ("response" in result) {
    auditLog.markWritten();
    return result.response;
  }
  const partial = { ...groupResponse(task, result.changed, jobId), complete: false };
  audit.details = { ...task.selection, ...partial };
  await queueContinuation(services.queue, groupMessage(jobId), "a bulk command", requestId);
  return { ...call.respond(partial), status: 202 };
};

/**
 * Applies a command to every selected player whose state allows it, or previews it.
 * @throws DomainError `player_not_found`, `in_progress`, `key_reused`, `unavailable`, `invalid_request`
 */
export const runGroupCommand = (call: GroupCall, command: GroupCommand): Promise<CommandResponse> =>
  call.body.dry_run === true
    ? call.decide(async () => ({ changes: {}, ...(await mapBusyToUnavailable(preview(call, command))) }))
    : carryOut(call, command);
