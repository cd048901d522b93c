/**
 * Audits the desks of missions: whether they are open, and how many they have counted; and the index of who attended closed
 * missions.
 */
import { closingOf, isListed } from "../../../lib/domain/missions/mission.ts";
import type { Write } from "../../../lib/dynamodb/database.ts";
import { keys } from "../../../lib/store/keys.ts";
import { listEntry, listWrite, parseAttendance } from "../../../lib/store/missions/attendance.ts";
import { type Difference, findWrongIndexKeys, keyOf } from "./difference.ts";
import type { Survey } from "./survey.ts";

/** The desk of each mission must have counted its attendances, and be open unless the mission is closed. */
const deskDifferences = ({ missions, desks, attendances }: Survey): Difference[] =>
  [...missions].flatMap(([id, mission]): Difference[] => {
    const desk = desks.get(id);
    const state = closingOf(mission) === null ? "open" : "closed";
    const count = attendances.get(id)?.length ?? 0;
    const [key, which, should] = [keys.missionDesk(id), `desk of ${mission.title}`, `${state}, ${count}`];
    if (desk === undefined) {
      const repair: Write[] = [{ put: { ...key, rev: 1, state, count }, expect: "absent" }];
      return [{ kind: "desk", which, key, is: "absent", should, repair }];
    }
    const is = `${desk.desk.state}, ${desk.desk.count}`;
    if (is === should) return [];
    const { rev } = desk.desk;
    const repair: Write[] = [{ set: key, to: { state, count }, by: { rev: 1 }, expect: { rev } }];
    return [{ kind: "desk", which, key: keyOf(desk.item), is, should, repair }];
  });

/** Whoever attended a mission that is listed must be in the index by player, and whoever is in it must be right. */
const listDifferences = ({ missions, attendances }: Survey): Difference[] =>
  [...missions].flatMap(([id, mission]) =>
    (attendances.get(id) ?? []).flatMap((item): Difference[] => {
      const isExpected = isListed(mission, Number.POSITIVE_INFINITY) || item.gsi2pk !== undefined;
      const entry = isExpected ? listEntry(id, parseAttendance(item)) : null;
      const wrong = entry === null ? null : findWrongIndexKeys(item, { ...item, ...entry });
      if (entry === null || wrong === null) return [];
      const which = `attendance of ${item.player_id} at ${mission.title}`;
      return [{ kind: "list entry", which, key: keyOf(item), ...wrong, repair: [listWrite(item, entry)] }];
    }),
  );

export const missionDifferences = (survey: Survey): Difference[] => [
  ...deskDifferences(survey),
  ...listDifferences(survey),
];
