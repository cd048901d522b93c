/** The timeline of the week: what is revealed, starts and ends when. */

import { paths } from "../../../paths.ts";
import type { Mission } from "../../../schemas.ts";
import { now, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { clockIn, dayIn } from "../../../text/zoned.ts";
import { Empty } from "../../../ui/feedback.tsx";
import { byDay, type Moment, timelineOf } from "./timeline.ts";

const momentText = ({ kind, audiences, mission: { title } }: Moment): string =>
  kind === "reveal" ? gm.missions.moments.reveal(title, audiences) : gm.missions.moments[kind](title);

export const Week = ({ missions }: { missions: readonly Mission[] }) => {
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  const at = now.value ?? Date.now();
  const days = byDay(timelineOf(missions), (time) => dayIn(time, zone));
  return (
    <section class="card stack">
      <h2>{gm.missions.week}</h2>
      <p class="field-note">{gm.common.inZone(zone)}</p>
      {days.length === 0 ? <Empty>{gm.missions.weekNone}</Empty> : null}
      {days.map(([day, moments]) => (
        <section key={day}>
          <h3>{day}</h3>
          <ol class="list">
            {moments.map((one, n) => (
              <li
                key={n}
                class="row moment"
                data-kind={one.kind}
                data-past={Date.parse(one.time) <= at || one.mission.closed_at !== null}
              >
                <span class="number">{clockIn(one.time, zone)}</span>
                <a class="grow" href={paths.gm.mission(one.mission.mission_id)}>
                  {momentText(one)}
                </a>
                {one.mission.draft === true ? (
                  <span class="label-chip">{gm.missions.status.draft}</span>
                ) : null}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </section>
  );
};
