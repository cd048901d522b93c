/** Audits the desks of missions: whether they are open, and how many they have counted. */
import { closingOf } from "../../../lib/domain/missions/mission.ts";
import type { Write } from "../../../lib/dynamodb/database.ts";
import { keys } from "../../../lib/store/keys.ts";
import { type Difference, keyOf } from "./difference.ts";
import type { Survey } from "./survey.ts";

/** The desk of each mission must have counted its attendances, and be open unless the mission is closed. */
export const missionDifferences = ({ missions, desks, attendances }: Survey): Difference[] =>
  [...missions].flatMap(([id, mission]): Difference[] => {
    const desk = desks.get(id);
    const state = closingOf(mission) === null ? "open" : "closed";
    const count = attendances.get(id) ?? 0;
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
