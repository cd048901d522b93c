/** The mission that is typed, as each side sees it once everything for that side is revealed. */

import { missionTexts } from "../../../text/missions.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { MissionText } from "../../../ui/mission.tsx";
import { bodyOf, type MissionForm, type SideView, viewsOf } from "./missionForm.ts";

interface PreviewProps {
  form: MissionForm;
  picture_url: string | null;
  zone: string;
  /** Milliseconds since 1970. */
  at: number;
}

const View = ({ of: { sides, seen }, form, picture_url, zone, at }: PreviewProps & { of: SideView }) => {
  const { briefings, rewards } = seen;
  const body = bodyOf(form, at);
  const timeOf = (time: string): string => (time === "" ? "…" : zonedText(time, zone));
  const times = [...new Set(briefings.map(({ reveal_at }) => reveal_at))].toSorted(
    (one, other) => Date.parse(one) - Date.parse(other),
  );
  const revealText = (time: string): string =>
    Date.parse(time) === at ? gm.missions.atOnce : zonedText(time, zone);
  return (
    <figure class="mission-view stack">
      <figcaption class="label">{gm.missions.sees(sides)}</figcaption>
      {briefings.length === 0 ? (
        <p class="muted">{gm.missions.knowNothing}</p>
      ) : (
        <>
          {form.draft ? null : <p class="muted">{gm.missions.readsFrom(times.map(revealText))}</p>}
          <div class="card mission">
            <MissionText
              mission={{
                ...{ ...body, picture_url, rewards, result: null, note: null },
                title: body.title === "" ? gm.send.noTitle : body.title,
                briefings: briefings.map((one) => ({ ...one, outcome_text: null })),
              }}
              when={missionTexts.from(timeOf(body.starts_at), timeOf(body.ends_at))}
            />
          </div>
        </>
      )}
    </figure>
  );
};

export const MissionPreview = (props: PreviewProps) => (
  <section class="stack" aria-label={gm.missions.preview}>
    <h2>{gm.missions.preview}</h2>
    {viewsOf(bodyOf(props.form, props.at)).map((one) => (
      <View key={one.sides.join()} of={one} {...props} />
    ))}
  </section>
);
