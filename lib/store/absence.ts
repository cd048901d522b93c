/** What is stored in a season for players who are away: enforcements of checkpoints and the past of the clock (decision 85). */
import { StoredEnforcement, StoredMissionsEnforcement, StoredUndo } from "../domain/accounts/departure.ts";
import { ClockSnapshot, type Game } from "../domain/game/game.ts";
import type { Database, StoredItem, Write } from "../dynamodb/database.ts";
import { keys, TOMBSTONES } from "./keys.ts";
import { readAll } from "./lists.ts";

/** The writes that store the start of an enforcement, and remove its earlier undo. */
export const enforcementWrites = (enforcement: StoredEnforcement): Write[] => [
  { put: { ...enforcement, ...keys.enforced(enforcement.checkpoint_id) } },
  { remove: keys.undone(enforcement.checkpoint_id) },
];

/**
 * The write that stores an enforcement of required missions: apart from those of checkpoints, whose group an earlier version
 * could not read.
 */
export const missionsEnforcementWrite = (enforcement: StoredMissionsEnforcement): Write => ({
  put: { ...enforcement, ...keys.missedMissions(enforcement.job_id) },
});

/** Of those enforcements, each with whether a player attended enough or was exempt. */
export const withAttendance = async (
  db: Database,
  enforcements: readonly StoredMissionsEnforcement[],
  playerIds: readonly string[],
): Promise<(StoredMissionsEnforcement & { isSpared: boolean })[]> => {
  const ids = [...new Set(enforcements.flatMap((one) => one.ids))];
  const wanted = ids.flatMap((id) => playerIds.map((playerId) => keys.attended(id, playerId)));
  const items = wanted.length === 0 ? [] : await db.getMany(wanted);
  const attended = new Set(items.map(({ pk }) => pk));
  return enforcements.map((one) => {
    const count = one.ids.filter((id) => attended.has(keys.attended(id, "").pk)).length;
    return { ...one, isSpared: one.exempt.some((id) => playerIds.includes(id)) || count >= one.needed };
  });
};

/** The write that stores the undo of an enforcement. */
export const undoWrite = (undo: StoredUndo): Write => ({
  put: { ...undo, ...keys.undone(undo.checkpoint_id) },
});

/** The writes that store snapshots of the clock which the game drops. */
export const pastClockWrites = (cuts: Game["cuts"]): Write[] =>
  cuts.map((cut): Write => ({ put: { ...cut, ...keys.pastClock(cut.epoch) } }));

/** What has happened in the game that concerns players who are away. */
export interface Absence {
  enforcements: StoredEnforcement[];
  missions: StoredMissionsEnforcement[];
  undos: StoredUndo[];
  /** The game with all snapshots of its clock. */
  game: Game;
}

/** Reads what has happened in this season that concerns players who are away. */
export const readAbsence = async (db: Database, game: Game): Promise<Absence> => {
  const items = await readAll(db, { partition: () => TOMBSTONES, shards: 1, consistent: true }, 100);
  const beginning = (prefix: string): StoredItem[] => items.filter(({ sk }) => sk.startsWith(prefix));
  const [first] = game.cuts;
  const past = beginning(keys.pastClock("").sk)
    .map((item) => ClockSnapshot.parse(item))
    .filter(({ epoch }) => epoch <= game.epoch && (first === undefined || epoch < first.epoch));
  return {
    enforcements: beginning(keys.enforced("").sk).map((item) => StoredEnforcement.parse(item)),
    missions: beginning(keys.missedMissions("").sk).map((item) => StoredMissionsEnforcement.parse(item)),
    undos: beginning(keys.undone("").sk).map((item) => StoredUndo.parse(item)),
    game: { ...game, cuts: [...past, ...game.cuts] },
  };
};
