/** What a waiting account attended, when it turns out to be a player who has left. */
import type { Database, Write } from "../../dynamodb/database.ts";
import { keys, missionPart } from "../keys.ts";
import { shardOfId } from "../lists.ts";
import { listEntry, parseAttendance } from "./attendance.ts";

/** An attendance that moves to another player id, and by which interactions it was rewarded. */
export interface MovedAttendance {
  writes: Write[];
  rewarded: string[];
}

/**
 * What one player attended, as it moves to another player id, with the interactions that record what they got. What that one
 * attended too is one attendance then. If both got something for it, that one keeps their own, and the other reward is nobody's.
 */
export const movedAttendances = async (
  db: Database,
  missions: readonly string[],
  from: string,
  to: string,
): Promise<MovedAttendance[]> => {
  if (missions.length === 0) return [];
  const items = await db.getMany(missions.flatMap((id) => [from, to].map((of) => keys.attended(id, of))));
  const own = new Map(
    items.filter(({ player_id }) => player_id === to).map((item) => [item.pk, parseAttendance(item)]),
  );
  return items.flatMap((item): MovedAttendance[] => {
    const { rewarded: got, ...one } = parseAttendance(item);
    if (one.player_id !== from) return [];
    const theirs = own.get(item.pk);
    const rewarded = theirs?.rewarded === undefined ? got : undefined;
    const mission = item.pk.slice(missionPart("").length);
    const moved = { player_id: to, ...(rewarded === undefined ? {} : { rewarded }) };
    const entry = item.gsi2pk === undefined ? null : listEntry(mission, { ...theirs, ...moved });
    const writes: Write[] = [
      { remove: keys.attended(mission, from), expect: { is: { at: one.at, rev: one.rev } } },
      {
        put: { ...one, ...theirs, ...moved, ...entry, ...keys.attended(mission, to) },
        expect: theirs === undefined ? "absent" : { is: { at: theirs.at, rev: theirs.rev } },
      },
      ...(theirs === undefined
        ? []
        : [{ increase: keys.missionDesk(mission), by: { rev: 1, count: -1 } } satisfies Write]),
      ...(rewarded ?? []).map(
        ({ interaction_id: id, shards }): Write => ({
          set: keys.interaction(shardOfId(id, shards), id),
          to: { target: to },
          by: { rev: 1 },
          // The comparison of the id requires that the item exists.
          expect: { is: { interaction_id: id } },
        }),
      ),
    ];
    return [{ writes, rewarded: (rewarded ?? []).map(({ interaction_id }) => interaction_id) }];
  });
};
