/** The job that gives the rewards of a mission, or takes them back. Each player and the attendance change together. */
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { type Mission, noSuchMission } from "../../domain/missions/mission.ts";
import { giveKnownRewards, giveRewards, isUnknown, takeRewardsBack } from "../../domain/missions/rewards.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { BATCHES_RESERVE_MS, type PlayerRule } from "../../jobs/bulk.ts";
import type { JobDone, JobKind, JobRun } from "../../jobs/jobKind.ts";
import { MissionTask } from "../../jobs/tasks.ts";
import { chunk } from "../../runtime/chunk.ts";
import { commitBefore, MAX_WRITES, mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { markUndoneBy } from "../../store/hunts/voids.ts";
import { parseInteraction } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { shardOfId } from "../../store/lists.ts";
import { listWrites, readAttendances, rewardedWrite } from "../../store/missions/attendance.ts";
import { jobEndWrite, readMission } from "../../store/missions/missions.ts";
import { readEndedInfection } from "../rewards/endedInfection.ts";
import { sidesForRewards, type Working } from "./sidesAtStart.ts";

/**
 * A player takes the item, a tag code, the attendance and a due starvation, and each reward an interaction or two, of the
 * 100 writes of a transaction. The same in every process, because a mission that is closed keeps its rewards.
 */
const batchSizeOf = ({ rewards }: Mission): number => Math.floor(94 / (4 + 2 * Math.max(1, rewards.length)));

export interface MissionJobResult {
  mission_id: string;
  /** How many players were rewarded; of a reopening, from how many the rewards were taken back. */
  count: number;
  /** How many of the others there are, for whom there is nothing. */
  skipped: number;
  /** Of a reopening: from how many of them not everything could be taken back. */
  kept?: number;
  complete: boolean;
  job_id: string | null;
}

interface Work extends Working {
  context: CommandContext;
}

/** What a job does with each player, and what is read again after a conflict. */
interface MissionRule {
  rule: PlayerRule;
  onConflict?: () => Promise<void>;
}

/** A reward that is in force. */
interface InForce extends Awaited<ReturnType<typeof readEndedInfection>> {
  item: StoredItem;
  rewarded: Interaction;
}

const closingRule = (work: Work, mission: Mission): MissionRule => {
  const { sidesOf, prepare } = sidesForRewards(work, mission);
  const { mission_id } = mission;
  return {
    rule: {
      prepare,
      decide: (player, game) => {
        const sides = sidesOf(player, game);
        const given = giveRewards(player, mission, sides, game, work.context);
        if (given === null) return null;
        const { recorded, ...outcome } = given;
        const { shards } = game;
        const rewarded = recorded.map(({ interaction, did }) => ({
          ...{ interaction_id: interaction.interaction_id, shards },
          ...did,
        }));
        const isKnown = giveKnownRewards(player, mission, sides, game, work.context) !== null;
        return {
          outcome,
          writes: [rewardedWrite(mission_id, player.player_id, rewarded)],
          ...(isKnown ? {} : { result: { unknown: true } }),
        };
      },
    },
  };
};

/** The interactions that record rewards that are in force, as stored and with the infections that they have ended, by player. */
const readRewarded = async (
  { store, game }: Working,
  mission_id: string,
): Promise<Map<string, InForce[]>> => {
  const { db } = store;
  const attendances = await readAttendances(db, mission_id, { consistent: true });
  const wanted = attendances.flatMap(({ rewarded = [] }) =>
    rewarded.map(({ interaction_id: id, shards }) => keys.interaction(shardOfId(id, shards), id)),
  );
  const items = wanted.length === 0 ? [] : await mapBusyToUnavailable(db.getMany(wanted));
  const given = await Promise.all(
    items
      .filter(({ voided_by }) => voided_by === undefined)
      .map(async (item) => {
        const rewarded = parseInteraction(item);
        return { item, rewarded, ...(await readEndedInfection(store, game, rewarded.reward)) };
      }),
  );
  const found = new Map(given.map((one) => [one.item.sk, one]));
  return new Map(
    attendances.map(({ player_id, rewarded = [] }) => [
      player_id,
      rewarded.flatMap(({ interaction_id }) => found.get(interaction_id) ?? []),
    ]),
  );
};

const reopeningRule = async (work: Work, mission: Mission, actor: string): Promise<MissionRule> => {
  const { mission_id } = mission;
  let rewarded = await readRewarded(work, mission_id);
  return {
    onConflict: async () => {
      rewarded = await readRewarded(work, mission_id);
    },
    rule: {
      decide: (player, game) => {
        const own = rewarded.get(player.player_id) ?? [];
        const items = new Map(own.map(({ item }) => [item.sk, item]));
        const taken = takeRewardsBack(player, own, actor, game, work.context);
        const { voids, kept, ...outcome } = taken;
        const marks = voids.flatMap(({ rewarded: { interaction_id }, by }) => {
          const item = items.get(interaction_id);
          return item === undefined ? [] : [markUndoneBy(item, by)];
        });
        const conditions = own.flatMap((one) => one.conditions);
        const writes = [...marks, ...conditions, rewardedWrite(mission_id, player.player_id, undefined)];
        const interactions = own.map((one) => one.rewarded);
        const unknown = isUnknown(interactions, game, work.context.now);
        return { outcome, writes, ...(kept || unknown ? { result: { kept, unknown } } : {}) };
      },
    },
  };
};

/**
 * Enters those into the index by player whom no reward has entered. A process that goes on finds them again.
 * @returns whether all are in it
 * @throws DomainError `unavailable` when time runs out
 */
const listAttended = async ({ store, timeLeft }: Work, mission_id: string): Promise<boolean> => {
  const writes = await mapBusyToUnavailable(listWrites(store.db, mission_id));
  for (const batch of chunk(writes ?? [], MAX_WRITES)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    await commitBefore(store, batch, timeLeft);
  }
  return writes !== null;
};

/**
 * The result of a job so far.
 * @param isForOthers whether it is for a game master who is told of nobody who got, or loses, what others must not know
 */
const resultOf = (
  { task: { mission_id, action, selected }, jobId }: JobRun<MissionTask>,
  { changed, results, complete }: JobDone,
  isForOthers: boolean,
): MissionJobResult => {
  const unknown = isForOthers ? results.filter((one) => one.unknown === true) : [];
  const kept = results.filter((one) => one.kept === true && !unknown.includes(one)).length;
  const count = changed - unknown.length;
  const isReopening = action === "reopen_mission";
  return {
    ...{ mission_id, count, skipped: selected - (isReopening ? changed : count) },
    ...(isReopening ? { kept } : {}),
    ...{ complete, job_id: jobId },
  };
};

/** Its end is in one transaction with the mission, which can be closed or reopened again from then on. */
export const MISSION_JOB: JobKind<MissionTask, MissionJobResult> = {
  what: "the rewards of a mission",
  kind: "mission",
  parse: (job) => MissionTask.parse(job),
  action: ({ action }) => action,
  work: async ({ services: { store, clock }, game, timeLeft, task, context, jobId }) => {
    const { mission_id, action, actor } = task;
    const mission = await mapBusyToUnavailable(readMission(store.db, mission_id));
    if (mission === null) throw noSuchMission();
    const work = { store, game, context, timeLeft };
    const isClosing = action === "close_mission";
    return {
      ...(isClosing ? closingRule(work, mission) : await reopeningRule(work, mission, actor)),
      batchSize: batchSizeOf(mission),
      details: { title: mission.title },
      lastWrites: async () => {
        const isListed = isClosing && (await listAttended(work, mission_id));
        return [jobEndWrite(mission_id, jobId, isListed ? clock() : null)];
      },
    };
  },
  result: async (run, done) => {
    const { services, task, game, context } = run;
    const by = await mapBusyToUnavailable(services.store.player(task.actor));
    const body = resultOf(run, done, hidesOriginalsFrom(by, game, context.now));
    // Game masters from whom originals are hidden see no details.
    return { body, details: { ...resultOf(run, done, false) } };
  },
};
