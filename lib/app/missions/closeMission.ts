/** Closes a mission, which gives its rewards and tells the sides how it ended; and reopens one. */
import { DomainError } from "../../domain/domainError.ts";
import { resultMessages } from "../../domain/missions/messages.ts";
import {
  atWork,
  closingOf,
  type Mission,
  type MissionResult,
  noSuchMission,
  withClosing,
  withReopening,
} from "../../domain/missions/mission.ts";
import type { Write } from "../../dynamodb/database.ts";
import { respondByJob } from "../../jobs/respondByJob.ts";
import { readSelectionJob, startSelectionJob } from "../../jobs/selectionJob.ts";
import type { MissionTask } from "../../jobs/tasks.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, storedResponse } from "../../store/idempotency.ts";
import { type Attendance, deskWrite, readAttendances, readDesk } from "../../store/missions/attendance.ts";
import { missionWrite, readMission } from "../../store/missions/missions.ts";
import { messageWrites } from "./announce.ts";
import { MISSION_JOB, type MissionJobResult } from "./rewardJob.ts";

export interface CloseRequest {
  mission_id: string;
  result: MissionResult;
  note?: string | undefined;
}

const wrongState = (detail: string): DomainError => new DomainError("wrong_state", detail);

/** @throws DomainError `not_found` */
const requireMission = async ({ services }: ReadCall, id: string): Promise<Mission> => {
  const mission = await mapBusyToUnavailable(readMission(services.store.db, id));
  if (mission === null) throw noSuchMission();
  return mission;
};

/** @throws DomainError `not_found`, `wrong_state` */
export const requireOpenMission = async (call: ReadCall, id: string): Promise<Mission> => {
  const mission = await requireMission(call, id);
  if (mission.job !== null) throw wrongState(atWork(mission));
  if (mission.draft) throw wrongState(`${mission.title} is a draft.`);
  if (closingOf(mission) !== null) throw wrongState(`${mission.title} is closed already.`);
  return mission;
};

/**
 * A closed mission, or one whose job is lost, because no archive has it: what that job has given can be taken back.
 * @throws DomainError `not_found`, `wrong_state`
 */
const requireReopenable = async (call: ReadCall, id: string): Promise<Mission> => {
  const mission = await requireMission(call, id);
  if (mission.job !== null) {
    if ((await readSelectionJob(call.services.store, mission.job)) === null) return mission;
    throw wrongState(atWork(mission));
  }
  if (closingOf(mission) === null) throw wrongState(`${mission.title} is not closed.`);
  return mission;
};

/** Those whom a closing may reward. A cancelled mission counts for nobody. */
export const attendedFor = async (
  { services }: ReadCall,
  mission: Mission,
  result: MissionResult,
): Promise<Attendance[]> =>
  result === "cancelled" || mission.rewards.length === 0
    ? []
    : mapBusyToUnavailable(readAttendances(services.store.db, mission.mission_id, { consistent: true }));

/** What starts a job: the mission as it becomes, its desk, and the players. */
interface Prepared {
  before: Mission;
  after: Mission;
  ids: string[];
  writes: Write[];
}

/** Runs the job of a request until it is done or time runs out. Then the queue continues it. */
const runJob = async (
  call: JobCall<MissionJobResult>,
  { mission_id, action }: Pick<MissionTask, "mission_id" | "action">,
  prepare: () => Promise<Prepared>,
): Promise<CommandResponse> => {
  const { idempotency, now, services } = call;
  const start = () =>
    startSelectionJob(call, MISSION_JOB, async (jobId) => {
      const { before, after, ids, writes } = await prepare();
      return {
        selection: { ids },
        task: { mission_id, action, selected: ids.length },
        writes: [missionWrite(before, { ...after, job: jobId }), ...writes],
      };
    });
  const started = await start().catch(async (error: unknown) => {
    // It may be rejected only because the same request has started the job meanwhile.
    const isStarted = (await storedResponse(services.store.db, idempotency, now)) !== undefined;
    if (error instanceof DomainError && isStarted) return start();
    throw error;
  });
  return respondByJob(call, MISSION_JOB, started);
};

/**
 * Closes a mission: nobody is checked in any more, whoever attended is rewarded by the side at its start, and the sides who
 * know the mission are told the result.
 * @throws DomainError `not_found`, `wrong_state` if it is closed, or is being closed or reopened; `in_progress`, `key_reused`
 */
export const closeMission = (
  call: JobCall<MissionJobResult>,
  { mission_id, result, note = null }: Omit<CloseRequest, "note"> & { note?: string | null | undefined },
): Promise<CommandResponse> => {
  const { context, game, now, player, services } = call;
  const { player_id: actor } = player;
  return runJob(call, { mission_id, action: "close_mission" }, async () => {
    const before = await requireOpenMission(call, mission_id);
    const desk = await mapBusyToUnavailable(readDesk(services.store.db, mission_id));
    const attended = await attendedFor(call, before, result);
    const closing = { actor, result, note, attended_count: desk.count };
    const after = { ...withClosing(before, closing, now), changed_by: actor };
    const messages = resultMessages(after, now);
    return {
      ...{ before, after, ids: attended.map(({ player_id }) => player_id) },
      writes: [
        deskWrite(mission_id, desk, "closed"),
        ...messageWrites(messages, after, { game, newId: context.newId, now }),
      ],
    };
  });
};

/**
 * Reopens a mission: what its closing gave is taken back as far as possible, and attendance can be entered again.
 * @throws DomainError `not_found`, `wrong_state` if it is not closed, or is being closed or reopened; `in_progress`,
 *   `key_reused`
 */
export const reopenMission = (
  call: JobCall<MissionJobResult>,
  mission_id: string,
): Promise<CommandResponse> => {
  const { now, player, services } = call;
  const { db } = services.store;
  return runJob(call, { mission_id, action: "reopen_mission" }, async () => {
    const before = await requireReopenable(call, mission_id);
    const desk = await mapBusyToUnavailable(readDesk(db, mission_id));
    const attended = await mapBusyToUnavailable(readAttendances(db, mission_id, { consistent: true }));
    const rewarded = attended.filter((one) => one.rewarded !== undefined);
    return {
      ...{ before, after: withReopening(before, player.player_id, now) },
      ids: rewarded.map(({ player_id }) => player_id),
      writes: [deskWrite(mission_id, desk, "open")],
    };
  });
};
