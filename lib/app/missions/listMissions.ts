/** Reads the missions that a player may know. */
import type { Game } from "../../domain/game/game.ts";
import { closingOf, isVisible, type Mission, noSuchMission } from "../../domain/missions/mission.ts";
import { requirementOf } from "../../domain/missions/requirement.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { readPage } from "../../store/lists.ts";
import {
  type Attendance,
  attendanceCounts,
  attendanceEntries,
  attendancesOfPlayer,
  attendedOf,
  parseAttendance,
} from "../../store/missions/attendance.ts";
import { missionEntries, parseMission, readMission, readMissions } from "../../store/missions/missions.ts";
import { type MissionView, missionView } from "./missionView.ts";

/** Missions with what the caller attended, and for game masters how many did. */
const show = async ({ game, now, player, services }: ReadCall, missions: readonly Mission[]) => {
  const { db } = services.store;
  const withDesk = missions.filter(({ attendance }) => attendance === "desk");
  // Of a closed mission, the closing has it.
  const counted = new Map(withDesk.map((one) => [one.mission_id, closingOf(one)?.attended_count]));
  const uncounted = [...counted].flatMap(([id, count]) => (count === undefined ? [id] : []));
  const [attended, counts] = await Promise.all([
    attendedOf(
      db,
      withDesk.filter(({ mission_id }) => counted.get(mission_id) !== 0),
      player.player_id,
      now,
    ),
    player.is_admin ? attendanceCounts(db, uncounted) : new Map<string, number>(),
  ]);
  return missions.map((one) =>
    missionView(one, player, game, now, {
      attended: attended.get(one.mission_id),
      count: player.is_admin ? (counted.get(one.mission_id) ?? counts.get(one.mission_id) ?? 0) : undefined,
    }),
  );
};

/** What is required of every player. */
const requirement = ({ settings }: Game) => ({
  missions_required: settings.missions_required,
  missions_counted_from: settings.missions_counted_from,
});

/**
 * How many of the required missions the caller attended, also on another side, and how many they need. The latter counts the
 * cancelled missions that the caller knows: a lower number would tell of one for another side.
 * @param missions all of the season
 * @param shown those of them of which it is known whether the caller attended
 */
const ownRequirement = async (
  { game, now, player, services }: ReadCall,
  wanted: number,
  missions: readonly Mission[],
  shown: readonly MissionView[],
) => {
  const { ids } = requirementOf(missions, game, wanted, now);
  const known = missions.filter((one) => isVisible(one, player, game, now));
  const isAttended = new Map(shown.map(({ mission_id, attended }) => [mission_id, attended]));
  const unread = ids.filter((id) => !isAttended.has(id));
  const others = await attendancesOfPlayer(services.store.db, unread, player.player_id);
  return {
    missions_attended: ids.filter((id) => isAttended.get(id) === true).length + others.length,
    missions_needed: requirementOf(known, game, wanted, now).needed,
  };
};

/**
 * A page of the missions that the caller may know, the newest first; the first page also has what they attended of the required
 * ones.
 * @param before a position
 */
export const listMissions = async (call: ReadCall, limit: number, before: string | undefined) => {
  const { game, now, player, services } = call;
  const { db } = services.store;
  const read: Mission[] = [];
  const { items, next } = await readPage(missionEntries(db, limit + 1, before), limit, (item) => {
    const mission = parseMission(item);
    read.push(mission);
    return isVisible(mission, player, game, now) ? mission : null;
  });
  const missions = await show(call, items);
  const { missions_required: wanted } = game.settings;
  const own =
    wanted === null || before !== undefined
      ? {}
      : await ownRequirement(call, wanted, next === null ? read : await readMissions(db), missions);
  return { missions, ...requirement(game), ...own, next };
};

/** The states that a viewer may see of somebody who attended. */
const shownSides = (one: Attendance, { starts_at }: Mission, { player, game, now }: ReadCall) => {
  const { side, side_at_start, shown_side = side, shown_side_at_start = side_at_start } = one;
  const [seen, atStart] = hidesOriginalsFrom(player, game, now)
    ? [shown_side, shown_side_at_start]
    : [side, side_at_start];
  // The mission may have been moved since.
  return { side: seen, side_at_start: one.at < starts_at ? null : atStart };
};

/** A page of those who attended a mission, for game masters. @param after a position */
const listAttendance = async (call: ReadCall, mission: Mission, limit: number, after: string | undefined) => {
  const { store } = call.services;
  const { items, next } = await readPage(
    attendanceEntries(store.db, mission.mission_id, limit + 1, { after }),
    limit,
    parseAttendance,
  );
  const ids = items.flatMap(({ player_id, by }) => [player_id, by]);
  const players = await store.players(new Set(ids), { consistent: false });
  const attendance = items.map((one) => {
    const { player_id, at: attended_at, by, late, reason } = one;
    return {
      alias: players.get(player_id)?.alias ?? null,
      ...shownSides(one, mission, call),
      attended_at,
      entered_by: players.get(by)?.alias ?? null,
      ...(late === undefined ? {} : { late }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
  return { attendance, next };
};

/**
 * One mission; for game masters with a page of those who attended. One that the caller may not know is looked up in the same
 * way as one that does not exist.
 * @throws DomainError `not_found`
 */
export const findMission = async (
  call: ReadCall,
  mission_id: string,
  limit: number,
  after: string | undefined,
) => {
  const { game, now, player, services } = call;
  const mission = await readMission(services.store.db, mission_id);
  if (mission === null || !isVisible(mission, player, game, now)) throw noSuchMission();
  const [missions, listed] = await Promise.all([
    show(call, [mission]),
    player.is_admin && mission.attendance === "desk" ? listAttendance(call, mission, limit, after) : null,
  ]);
  return {
    ...{ missions, ...requirement(game), next: listed?.next ?? null },
    ...(listed === null ? {} : { attendance: listed.attendance }),
  };
};
