/** Stored missions. They have items of their own, because the game item is read by everybody (decision 123). */
import { Mission, nextDue } from "../../domain/missions/mission.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { parseIfFound, withoutKeys } from "../items.ts";
import { keys, MISSIONS_LIST, SCHEDULED_LIST, scheduleOrder } from "../keys.ts";
import { type Entry, entries } from "../lists.ts";

export const parseMission = (item: StoredItem): Mission => Mission.parse(withoutKeys(item));

const missionItem = (mission: Mission): StoredItem => {
  const due = nextDue(mission);
  const { mission_id: id } = mission;
  return {
    ...mission,
    ...keys.mission(id),
    ...(due === null ? {} : { gsi2pk: SCHEDULED_LIST, gsi2sk: scheduleOrder(due, id) }),
  };
};

/** Whether an item of the index of what is scheduled is a mission. */
export const isMission = ({ pk }: StoredItem): boolean => pk === MISSIONS_LIST;

/** The write of a new or changed mission, on condition that it is as it was read. Counts `rev`. */
export const missionWrite = (before: Mission | null, after: Mission): Write => ({
  put: missionItem({ ...after, rev: (before?.rev ?? 0) + 1 }),
  expect: before === null ? "absent" : { rev: before.rev },
});

export const readMission = async (db: Database, id: string): Promise<Mission | null> =>
  parseIfFound(await db.get(keys.mission(id)), parseMission);

/**
 * Missions, the newest first, read eventually consistently: a unit has 8 KB.
 * @param before a position
 */
export const missionEntries = (
  db: Database,
  expected: number,
  before?: string | undefined,
): AsyncGenerator<Entry> =>
  entries(db, { partition: () => MISSIONS_LIST, shards: 1, descending: true, before }, expected);

/** All missions of the season, the oldest first. */
export const readMissions = async (db: Database, { consistent = false } = {}): Promise<Mission[]> => {
  const missions: Mission[] = [];
  const list = { partition: () => MISSIONS_LIST, shards: 1, consistent };
  for await (const { item } of entries(db, list, 100)) missions.push(parseMission(item));
  return missions;
};

/**
 * The write by which a job ends that gives the rewards of a mission, or takes them back.
 * @param listedAt since when all who attended are in the index by player, in milliseconds since 1970
 */
export const jobEndWrite = (id: string, jobId: string, listedAt: number | null): Write => ({
  set: keys.mission(id),
  to: { job: null, ...(listedAt === null ? {} : { listed_at: rfc3339(listedAt) }) },
  by: { rev: 1 },
  expect: { is: { job: jobId } },
});
