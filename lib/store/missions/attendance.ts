/**
 * Who attended a mission. The desk of a mission is a small item that each check-in changes, so that none can come between
 * the closing and its list, and a check-in need not touch the mission with its texts (decision 123).
 */
import * as z from "zod/mini";
import { type Earned, earnedBy, recordedAsEarned } from "../../domain/missions/earned.ts";
import { isListed, type Mission } from "../../domain/missions/mission.ts";
import { State } from "../../domain/players/player.ts";
import { integer, optionalText, text } from "../../domain/schemas.ts";
import type { Database, Expectation, StoredItem, Write } from "../../dynamodb/database.ts";
import { parseIfFound, parseInteraction, withoutKeys } from "../items.ts";
import { ATTENDED, attendedByList, keys, missionPart } from "../keys.ts";
import { type Entry, entries, readAll, shardOfId } from "../lists.ts";

const Desk = z.looseObject({ rev: integer, state: z.enum(["open", "closed"]), count: integer });
export type Desk = z.infer<typeof Desk>;

const DONE = z.optional(z.literal(true));

/** An attendance as stored. It has no personal data, and outlasts the account. */
export const Attendance = z.looseObject({
  player_id: text,
  /** When it was entered, RFC 3339, and the player id of who did it. */
  at: text,
  by: text,
  /** The side when the mission began, if that is past, and when it was entered. */
  side_at_start: z.nullable(State),
  side: State,
  /** Of a hidden original zombie: what others took them for at these times. */
  shown_side_at_start: z.optional(State),
  shown_side: z.optional(State),
  late: z.optional(z.literal(true)),
  reason: optionalText,
  /** Counts the changes since it was entered. */
  rev: z.optional(integer),
  /**
   * The interactions by which the rewards were given, and the number of shards then; absent unless they are in force. Each has
   * which reward of the mission it was and what it did, unless an earlier version stored it.
   */
  rewarded: z.optional(
    z.array(
      z.looseObject({
        ...{ interaction_id: text, shards: integer },
        ...{ reward: z.optional(integer), fed: DONE, cured: DONE, badge: DONE },
      }),
    ),
  ),
});
export type Attendance = z.infer<typeof Attendance>;

export const parseAttendance = (item: StoredItem): Attendance => Attendance.parse(withoutKeys(item));

export const parseDesk = (item: StoredItem): Desk => Desk.parse(withoutKeys(item));

export const newDeskWrite = (mission: string): Write => ({
  put: { ...keys.missionDesk(mission), rev: 1, state: "open", count: 0 },
  expect: "absent",
});

/** Opens or closes the desk, on condition that nobody was checked in since it was read. */
export const deskWrite = (mission: string, { rev }: Desk, state: Desk["state"]): Write => ({
  set: keys.missionDesk(mission),
  to: { state },
  by: { rev: 1 },
  expect: { rev },
});

/** @throws Error if the mission has none */
export const readDesk = async (db: Database, mission: string): Promise<Desk> => {
  const desk = parseIfFound(await db.get(keys.missionDesk(mission)), parseDesk);
  if (desk === null) throw new Error("a mission has no desk");
  return desk;
};

/** How many attended each of these missions, by id. */
export const attendanceCounts = async (
  db: Database,
  missions: readonly string[],
): Promise<Map<string, number>> => {
  if (missions.length === 0) return new Map();
  const items = await db.getMany(missions.map(keys.missionDesk), { consistent: false });
  return new Map(items.map((item) => [item.pk.slice(missionPart("").length), parseDesk(item).count]));
};

const OPEN: Expectation = { is: { state: "open" } };

/** The writes that enter attendances, on condition that the desk is open and none of them is entered. */
export const attendWrites = (mission: string, entered: readonly Attendance[]): Write[] => [
  {
    increase: keys.missionDesk(mission),
    by: { rev: 1, count: entered.length },
    expect: OPEN,
  },
  ...entered.map(
    (one): Write => ({ put: { ...one, ...keys.attended(mission, one.player_id) }, expect: "absent" }),
  ),
];

/** The writes that take attendances back, on condition that the desk is open and they are as they were read. */
export const unattendWrites = (mission: string, entered: readonly Attendance[]): Write[] => [
  {
    increase: keys.missionDesk(mission),
    by: { rev: 1, count: -entered.length },
    expect: OPEN,
  },
  ...entered.map(
    ({ player_id, at }): Write => ({
      remove: keys.attended(mission, player_id),
      expect: { is: { at } },
    }),
  ),
];

type ListEntry = Record<"gsi2pk" | "gsi2sk", string>;

/**
 * The entry of an attendance in the index by player. Its sort key has what the rewards did, because no attribute of the index
 * can hold that. `null` for one of which an earlier version stored the interactions alone.
 */
export const listEntry = (
  mission: string,
  { player_id, rewarded = [] }: Pick<Attendance, "player_id" | "rewarded">,
): ListEntry | null => {
  if (rewarded.some(({ reward }) => reward === undefined)) return null;
  const did = rewarded.map(({ reward, fed, cured, badge }) =>
    [reward, fed && "f", cured && "c", badge && "b"].join(""),
  );
  return { gsi2pk: attendedByList(player_id), gsi2sk: `${mission}#${did.join(",")}` };
};

/** The write that enters a stored attendance into the index by player. */
export const listWrite = ({ pk, sk, player_id }: StoredItem, entry: ListEntry): Write => ({
  set: { pk, sk },
  to: { ...entry },
  by: { rev: 1 },
  expect: { is: { player_id: String(player_id) } },
});

/**
 * The writes that enter into the index by player who attended a closed mission, unless they are in it as they are. `null` if
 * somebody cannot be entered.
 */
export const listWrites = async (db: Database, mission: string): Promise<Write[] | null> => {
  const writes: Write[] = [];
  for await (const { item } of attendanceEntries(db, mission, 1_000, { consistent: true })) {
    const entry = listEntry(mission, parseAttendance(item));
    if (entry === null) return null;
    if (item.gsi2sk !== entry.gsi2sk) writes.push(listWrite(item, entry));
  }
  return writes;
};

/** Stores by which interactions somebody was rewarded, or that nothing of it is in force any more. */
export const rewardedWrite = (
  mission: string,
  player_id: string,
  rewarded: Attendance["rewarded"],
): Write => ({
  set: keys.attended(mission, player_id),
  to: {
    rewarded,
    ...{ gsi2pk: undefined, gsi2sk: undefined },
    ...(rewarded === undefined ? {} : listEntry(mission, { player_id, rewarded })),
  },
  by: { rev: 1 },
  // The comparison of the id requires that the item exists.
  expect: { is: { player_id } },
});

/** The attendances of these players at a mission. */
export const attendancesOf = async (
  db: Database,
  mission: string,
  playerIds: readonly string[],
): Promise<Map<string, Attendance>> => {
  if (playerIds.length === 0) return new Map();
  const items = await db.getMany(playerIds.map((id) => keys.attended(mission, id)));
  return new Map(items.map(parseAttendance).map((one) => [one.player_id, one]));
};

/** The missions among these that a player attended. */
export const attendancesOfPlayer = async (
  db: Database,
  missions: readonly string[],
  playerId: string,
): Promise<string[]> => {
  if (missions.length === 0) return [];
  const wanted = missions.map((id) => keys.attended(id, playerId));
  const items = await db.getMany(wanted, { consistent: false, only: ["player_id"] });
  return items.map(({ pk }) => pk.slice(missionPart("").length));
};

/** What a reward did, or of earlier attendances which interaction records it. */
type Given = Partial<NonNullable<Attendance["rewarded"]>[number]>;

/** The missions among these that a player attended, by the index. One that is open can be in it too. */
const givenByIndex = async (
  db: Database,
  missions: readonly string[],
  playerId: string,
): Promise<Map<string, Given[]>> => {
  if (missions.length === 0) return new Map();
  const inOrder = missions.toSorted();
  const [after, before] = [inOrder.at(0), `${inOrder.at(-1)}~`];
  const range = { partition: () => attendedByList(playerId), after, before };
  const items = await readAll(db, { index: "gsi2", shards: 1, ...range }, 100);
  return new Map(
    items.flatMap(({ gsi2sk }) => {
      const [id = "", did = ""] = String(gsi2sk).split("#");
      if (!missions.includes(id)) return [];
      const all = [...did.matchAll(/(\d+)(f?)(c?)(b?)/g)].map(([, reward, fed, cured, badge]) => ({
        ...{ reward: Number(reward), fed: fed === "f" || undefined },
        ...{ cured: cured === "c" || undefined, badge: badge === "b" || undefined },
      }));
      return [[id, all]];
    }),
  );
};

const givenByKey = async (
  db: Database,
  missions: readonly string[],
  playerId: string,
): Promise<Map<string, Given[]>> => {
  if (missions.length === 0) return new Map();
  const wanted = missions.map((id) => keys.attended(id, playerId));
  const items = await db.getMany(wanted, { consistent: false, only: ["rewarded"] });
  const given = Attendance.shape.rewarded;
  return new Map(
    items.map(({ pk, rewarded }) => [pk.slice(missionPart("").length), given.parse(rewarded) ?? []]),
  );
};

/** The missions among these that a player attended, each with what they got by it. */
export const attendedOf = async (
  db: Database,
  missions: readonly Mission[],
  playerId: string,
  now: number,
): Promise<Map<string, Earned[]>> => {
  const idsOf = (ofListed: boolean): string[] =>
    missions.filter((one) => isListed(one, now) === ofListed).map(({ mission_id }) => mission_id);
  const [byIndex, byKey] = await Promise.all([
    givenByIndex(db, idsOf(true), playerId),
    givenByKey(db, idsOf(false), playerId),
  ]);
  const given = new Map([...byIndex, ...byKey]);
  // Earlier attendances have only the interactions.
  const recorded = [...given.values()]
    .flat()
    .flatMap(({ reward, interaction_id: id, shards }) =>
      reward !== undefined || id === undefined || shards === undefined
        ? []
        : [keys.interaction(shardOfId(id, shards), id)],
    );
  const found = recorded.length === 0 ? [] : await db.getMany(recorded, { consistent: false });
  const byId = new Map(found.map(parseInteraction).map((one) => [one.interaction_id, one]));
  const earned = (mission: Mission): Earned[] | undefined =>
    given.get(mission.mission_id)?.flatMap(({ interaction_id = "", reward, ...did }) => {
      if (reward !== undefined) return [earnedBy(mission, { ...did, reward })];
      const interaction = byId.get(interaction_id);
      return interaction === undefined ? [] : [recordedAsEarned(interaction)];
    });
  return new Map(
    missions.flatMap((mission) => {
      const got = earned(mission);
      return got === undefined ? [] : [[mission.mission_id, got]];
    }),
  );
};

/** Attendances of a mission, by player id. @param after a position */
export const attendanceEntries = (
  db: Database,
  mission: string,
  expected: number,
  { after = ATTENDED, consistent = false }: { after?: string | undefined; consistent?: boolean } = {},
): AsyncGenerator<Entry> =>
  entries(
    db,
    { partition: () => missionPart(mission), shards: 1, after, before: `${ATTENDED}~`, consistent },
    expected,
  );

/** How many of these missions each player attended. */
export const attendedCounts = async (
  db: Database,
  missions: readonly string[],
): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  const lists = await Promise.all(missions.map((id) => readAttendances(db, id, { consistent: true })));
  for (const { player_id } of lists.flat()) counts.set(player_id, (counts.get(player_id) ?? 0) + 1);
  return counts;
};

/** All attendances of a mission. */
export const readAttendances = async (
  db: Database,
  mission: string,
  { consistent = false } = {},
): Promise<Attendance[]> => {
  const found: Attendance[] = [];
  for await (const { item } of attendanceEntries(db, mission, 1_000, { consistent }))
    found.push(parseAttendance(item));
  return found;
};
