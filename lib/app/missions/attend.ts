/** Enters who attended a mission, at a desk or from a list. */
import { requireNotOwn } from "../../domain/accounts/staff.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { closingOf, isVisible, type Mission, noSuchMission } from "../../domain/missions/mission.ts";
import type { Sides } from "../../domain/missions/sides.ts";
import { type Player, type State, stateOf } from "../../domain/players/player.ts";
import { publicPlay, shownPlayer } from "../../domain/players/visibility.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { commitBefore, unavailable } from "../../store/commit.ts";
import type { Decision } from "../../store/decide.ts";
import {
  type Attendance,
  attendancesOf,
  attendWrites,
  unattendWrites,
} from "../../store/missions/attendance.ts";
import { readMission } from "../../store/missions/missions.ts";
import { findPassing } from "../checkpoint/checkpoint.ts";
import { findPlayers } from "../currentState.ts";
import { readPlayers } from "../players/listPlayers.ts";
import { openSides } from "./sidesAtStart.ts";

/** Who attended: exactly one of an alias, a tag code, several aliases and a label. */
export interface AttendanceRequest {
  mission_id: string;
  alias?: string | undefined;
  tag_code?: string | undefined;
  aliases?: readonly string[] | undefined;
  all_with_label?: string | undefined;
  /** Takes the attendance back. */
  undo?: true | undefined;
  /** Enters it after the end, from a list on paper; `reason` says why. */
  late?: boolean | undefined;
  reason?: string | undefined;
}

/** Entering takes a write for each; the desk, the log entry and the stored response take the others. */
const MAX_PER_TRANSACTION = 95;

interface Entered {
  alias: string;
  state: State;
  attended_at: string | null;
  repeated: boolean;
}

interface AttendanceResult {
  mission_id: string;
  /** How many were named, and how many of them were entered, or taken back, before. */
  count: number;
  repeated_count: number;
  repeated: boolean;
  /** Not of a label, which may be on thousands. */
  players?: Entered[];
}

/** @throws DomainError `not_found`, `wrong_state`, `closed` */
const requireOpen = async (call: PlayerCall, { mission_id, late }: AttendanceRequest): Promise<Mission> => {
  const { game, now, player, services } = call;
  const mission = await readMission(services.store.db, mission_id);
  if (mission === null || !isVisible(mission, player, game, now)) throw noSuchMission();
  const { title, ends_at } = mission;
  if (mission.attendance === "none" || mission.draft)
    throw new DomainError("wrong_state", `No attendance is taken at ${title}.`);
  if (closingOf(mission) !== null || mission.job !== null)
    throw new DomainError("wrong_state", `${title} is closed: a game master can reopen it.`);
  if (late !== true && now >= instantOf(ends_at))
    throw new DomainError("closed", `${title} ended at ${ends_at}.`);
  return mission;
};

/** Everybody with a label. @throws DomainError `unavailable` when time runs out */
const withLabel = async ({ game, services, timeLeft }: PlayerCall, label: string): Promise<Player[]> => {
  const { store } = services;
  const found: Player[] = [];
  for await (const { player } of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    if (player.labels.includes(label)) found.push(player);
  }
  return found;
};

/** @throws DomainError `player_not_found`, `unknown_tag_code`, `code_replaced`, `already_tagged`, `too_many_attempts` */
const findAttendees = async (call: PlayerCall, request: AttendanceRequest): Promise<Player[]> => {
  const { aliases, all_with_label: label, alias, tag_code } = request;
  if (label !== undefined) return withLabel(call, label);
  if (aliases !== undefined) return findPlayers(call.services.store, aliases);
  return [await findPassing(call, { alias, tag_code })];
};

/** The sides at the start of a mission; `null` before it. Events are read only of players whose life is younger. */
const sidesOf = async (
  { context, now, services: { store }, timeLeft }: PlayerCall,
  game: Game,
  { starts_at }: Mission,
  players: readonly Player[],
): Promise<(player: Player) => Sides | null> => {
  const startsAt = instantOf(starts_at);
  if (now < startsAt) return () => null;
  const sides = openSides({ store, game, context, timeLeft }, startsAt);
  await sides.prepare(players, game);
  return (player) => sides.sidesOf(player, game);
};

const newAttendance = (
  { now, player: by }: PlayerCall,
  game: Game,
  attendee: Player,
  atStart: Sides | null,
  { late, reason }: AttendanceRequest,
): Attendance => {
  const [side, shown] = [attendee, publicPlay(attendee, game, now)].map((one) => stateOf(one, game, now));
  const isHidden = side !== shown || atStart?.side !== atStart?.shown;
  return {
    player_id: attendee.player_id,
    at: rfc3339(now),
    by: by.player_id,
    side_at_start: atStart?.side ?? null,
    side: side ?? attendee.state,
    ...(isHidden ? { shown_side: shown ?? attendee.state } : {}),
    ...(isHidden && atStart !== null ? { shown_side_at_start: atStart.shown } : {}),
    ...(late === true ? { late } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
};

/**
 * Enters attendances, or takes them back. Whoever is entered already stays so. Of more than one transaction, all but the last
 * are written at once, so a request that fails is repeated.
 * @throws DomainError `not_found`, `wrong_state`, `closed`, `ask_game_master` for a moderator who enters themselves,
 *   `player_not_found`, `unknown_tag_code`, `code_replaced`, `already_tagged`, `too_many_attempts`, `unavailable`
 */
export const attendMission = async (
  call: PlayerCall,
  request: AttendanceRequest,
): Promise<Decision<AttendanceResult>> => {
  const { audit, now, player, services, timeLeft } = call;
  const { store } = services;
  const { mission_id, undo, late, reason, all_with_label } = request;
  const mission = await requireOpen(call, request);
  const attendees = await findAttendees(call, request);
  const ids = attendees.map(({ player_id }) => player_id);
  requireNotOwn(player, ...ids);
  const game = await store.gameFor(call.game, ...attendees);
  const known = await attendancesOf(store.db, mission_id, ids);
  const wanted = attendees.filter(({ player_id }) => known.has(player_id) === (undo === true));
  const sides = await sidesOf(call, game, mission, undo === true ? [] : wanted);
  const entered = wanted.map(
    (one) => known.get(one.player_id) ?? newAttendance(call, game, one, sides(one), request),
  );
  const writesOf = undo === true ? unattendWrites : attendWrites;
  const batches = chunk(entered, MAX_PER_TRANSACTION);
  for (const batch of batches.slice(0, -1)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    await commitBefore(store, writesOf(mission_id, batch), timeLeft);
  }
  const [count, repeated_count] = [ids.length, ids.length - entered.length];
  if (ids.length === 1) audit.target = ids[0] ?? null;
  audit.details = {
    ...{ mission_id, title: mission.title, count, repeated_count },
    ...(undo === true ? { undo } : {}),
    ...(late === true ? { late } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
  const timeOf = new Map(entered.map((one) => [one.player_id, one.at]));
  const players = attendees.map((one) => ({
    alias: one.alias,
    state: stateOf(shownPlayer(one, player, game, now), game, now),
    attended_at: undo === true ? null : (timeOf.get(one.player_id) ?? known.get(one.player_id)?.at ?? null),
    repeated: !timeOf.has(one.player_id),
  }));
  const last = batches.at(-1);
  return {
    changes: { basedOn: game, ...(last === undefined ? {} : { writes: writesOf(mission_id, last) }) },
    result: {
      ...{ mission_id, count, repeated_count, repeated: count > 0 && repeated_count === count },
      ...(all_with_label === undefined ? { players } : {}),
    },
    aliases: new Map(attendees.map(({ player_id, alias }) => [player_id, alias])),
  };
};
