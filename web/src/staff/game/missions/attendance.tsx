/** Who attends a mission, while the list fills. */
import { ClipboardCheck, Undo2 } from "lucide";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { api } from "../../../state/api.ts";
import { foldedMatcher, foldText } from "../../../state/search.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeInGame } from "../../../text/times.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { StateBadge } from "../../../ui/player.tsx";
import { command, type Mission } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { Loading } from "../../ui/loading.tsx";
import { DESK_POLL_MS } from "./staffMissions.ts";

const PAGE_SIZE = 100;

const readPage = (mission_id: string, cursor: string | null) =>
  api.get("/missions/{url_id}", {
    query: { mission_id, limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) },
  });

/** Reads a mission as it is stored now. @throws GameError */
export const readMission = async (mission_id: string): Promise<Mission> => {
  const { missions } = await api.get("/missions/{url_id}", { query: { mission_id, limit: 1 } });
  const [mission] = missions;
  if (mission === undefined) throw new Error("a response without its mission");
  return mission;
};

type Attendee = NonNullable<Awaited<ReturnType<typeof readPage>>["attendance"]>[number];

/** Reads all who attended, the latest first. */
const readAttendance = async (mission_id: string): Promise<Attendee[]> => {
  const all: Attendee[] = [];
  let cursor: string | null = null;
  do {
    const { attendance = [], next_cursor }: Awaited<ReturnType<typeof readPage>> = await readPage(
      mission_id,
      cursor,
    );
    all.push(...attendance);
    cursor = next_cursor;
  } while (cursor !== null);
  return all.toSorted((one, other) => (one.attended_at < other.attended_at ? 1 : -1));
};

const undoConfirmation = ({ mission_id }: Mission, alias: string): Confirmation => ({
  action: "mission_attendance",
  title: gm.missions.undoTitle(alias),
  effects: [gm.missions.undoEffect],
  submit: gm.missions.undo,
  run: async (reason, key) => {
    const body = { mission_id, alias, undo: true as const, late: true, reason: gm.missions.undo, ...reason };
    await command("mission_attendance", body, key);
    return { text: gm.missions.undone(alias) };
  },
});

const Row = ({ one, mission, at }: { one: Attendee; mission: Mission; at: number }) => {
  const { alias, side, side_at_start, attended_at, entered_by, late, reason } = one;
  const isOpen = mission.closed_at === null && mission.complete !== false;
  return (
    <li class="row">
      <p class="grow">
        <strong>{alias ?? gm.common.gone}</strong>
        <span class="sub">
          {timeInGame(Date.parse(attended_at), at)} {gm.missions.enteredBy(entered_by)}
          {late === true && reason !== undefined ? ` · ${gm.missions.late(reason)}` : ""}
        </span>
      </p>
      <StateBadge state={side_at_start ?? side} />
      {isOpen && alias !== null ? (
        <CommandButton
          action="mission_attendance"
          text={gm.missions.undo}
          icon={Undo2}
          isIcon
          kind="quiet"
          confirmation={() => undoConfirmation(mission, alias)}
        />
      ) : null}
    </li>
  );
};

export const Attendance = ({ mission }: { mission: Mission }) => {
  const { mission_id, closed_at } = mission;
  const [text, setText] = useState("");
  const load = useCallback(() => readAttendance(mission_id), [mission_id]);
  const polled = usePolled(load);
  const { value, reload } = polled;
  useEffect(() => {
    if (closed_at !== null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, DESK_POLL_MS);
    return () => clearInterval(timer);
  }, [mission_id, closed_at]);
  const found = useMemo(() => {
    const isMatch = foldedMatcher(text);
    return (value ?? []).filter(({ alias }) => isMatch(foldText(`\n${alias ?? ""}`)));
  }, [value, text]);
  const { first, more } = useIncrementalList(found, text);
  const at = now.value ?? Date.now();
  return (
    <section class="card stack">
      <div class="head">
        <h2>{gm.missions.attendance}</h2>
        {closed_at === null ? (
          <ButtonLink text={gm.missions.openDesk} icon={ClipboardCheck} href={paths.gm.desk} />
        ) : null}
      </div>
      <Loading of={polled} rows={3} />
      {value === null ? null : <p class="number">{gm.missions.attended(value.length)}</p>}
      {value !== null && value.length === 0 ? <Empty>{gm.missions.attendanceNone}</Empty> : null}
      {value === null || value.length === 0 ? null : (
        <Field
          label={gm.missions.attendanceFind}
          name="attendee"
          value={text}
          onChange={setText}
          required={false}
        />
      )}
      <ul class="list">
        {first.map((one) => (
          <Row key={`${one.alias} ${one.attended_at}`} one={one} mission={mission} at={at} />
        ))}
      </ul>
      {more}
    </section>
  );
};
