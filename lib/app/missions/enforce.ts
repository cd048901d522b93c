/** Enforces required missions, in the job that enforces checkpoints. `undo_checkpoint` undoes it. */
import { invalidRequest } from "../../domain/domainError.ts";
import { enforceMissions } from "../../domain/missions/required.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { type EnforcementJob, MISSIONS, newEnforcementJob } from "../../jobs/enforcementJob.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import { missionsEnforcementWrite } from "../../store/absence.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { attendedCounts } from "../../store/missions/attendance.ts";
import { runJobCommand } from "../checkpoint/callJob.ts";
import { type PageRequest, preview } from "../checkpoint/preview.ts";
import type { EnforcementResult } from "../checkpoint/runEnforcement.ts";
import { findPlayers } from "../currentState.ts";
import { readRequirement } from "./requirement.ts";

interface EnforceRequest {
  /** How many missions are required; by default as the setting says. */
  min?: number | undefined;
  /** The aliases of players who are exempt. */
  exempt?: readonly string[] | undefined;
}

/** @throws DomainError `invalid_request`, `player_not_found` */
const readRequest = async (
  { game, now, services: { store } }: ReadCall,
  { min = game.settings.missions_required ?? undefined, exempt = [] }: EnforceRequest,
) => {
  if (min === undefined)
    throw invalidRequest({ path: "min", message: "is missing: the game requires no missions" });
  const [requirement, players] = await Promise.all([
    readRequirement(store, game, min, now),
    findPlayers(store, exempt),
  ]);
  return { ...requirement, exempt: players.map(({ player_id }) => player_id) };
};

/** Counts and lists the players whom the enforcement would kill or turn. */
export const previewMissions = async (call: ReadCall, request: EnforceRequest, page: PageRequest) => {
  const { audit, context, game, player, services } = call;
  const { ids, needed, since, exempt } = await readRequest(call, request);
  const attended = await attendedCounts(services.store.db, ids);
  const enforcement = {
    ...{ checkpoint_id: "", outcome: game.settings.checkpoint_outcome, began_at: since },
    ...{ actor: player.player_id, needed, exempt },
  };
  const decide = (one: Player) => enforceMissions(one, game, enforcement, attended, context);
  const { killed, spared, players, ...rest } = await preview(call, page, decide, false);
  audit.details = { dry_run: true, needed, killed, spared };
  const named = players.map(({ alias, state, becomes }) => ({ alias, state, becomes }));
  return { result: { killed, spared, needed, complete: true, job_id: null, players: named }, ...rest };
};

type Enforced = EnforcementResult & { needed: number; job_id: string | null };

/**
 * Does to every living player who attended fewer of the required missions what `checkpoint_outcome` says. Players who joined
 * or began a life after the last of them are exempt. A repeated request continues an unfinished job; another one waits for it.
 * @throws DomainError `invalid_request`, `player_not_found`, `busy`, `in_progress`, `key_reused`
 */
export const startMissionsEnforcement = async (
  call: JobCall<Enforced>,
  request: EnforceRequest,
): Promise<CommandResponse> => {
  const { context, game, now, player } = call;
  const { since, ...missions } = await readRequest(call, request);
  const { reason } = context;
  return runJobCommand({
    call,
    newJob: (before, jobId) => {
      const { checkpoint_outcome: outcome } = game.settings;
      const enforcement = { outcome, began_at: since, actor: player.player_id, reason };
      const job: EnforcementJob = {
        ...newEnforcementJob(jobId, now),
        ...{ checkpoint_id: jobId, applies_to: MISSIONS, missions, ...enforcement },
      };
      const away = { ...enforcement, ...missions, job_id: jobId, started_at: rfc3339(now) };
      return { job, after: before, writes: [missionsEnforcementWrite(away)] };
    },
    isSame: ({ missions: running }) =>
      running?.needed === missions.needed &&
      new Set(running.exempt).symmetricDifference(new Set(missions.exempt)).size === 0,
    resultOf: (result, { job_id, missions: { needed } = missions }) => ({ ...result, needed, job_id }),
  });
};
