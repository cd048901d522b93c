/** A mission as somebody may know it: on the page of players, and in the preview of the editor. */
import { MapPin } from "lucide";
import type { ComponentChildren } from "preact";
import type { Mission } from "../schemas.ts";
import { effectTexts, missionTexts as texts } from "../text/missions.ts";
import { ButtonLink } from "./button.tsx";
import { Markdown } from "./markdown.tsx";
import "./mission.css";

type Briefing = Mission["briefings"][number];

const BriefingText = ({ briefing, isNamed }: { briefing: Briefing; isNamed: boolean }) => (
  <section class="briefing">
    {isNamed ? <p class="label">{texts.audiences[briefing.audience]}</p> : null}
    {briefing.outcome_text === null ? null : (
      <div class="outcome">
        <Markdown text={briefing.outcome_text} />
      </div>
    )}
    <Markdown text={briefing.text} />
  </section>
);

interface MissionTextProps {
  mission: Pick<
    Mission,
    | ("title" | "place" | "latitude" | "longitude" | "picture_url" | "briefings" | "rewards")
    | ("required" | "required_to_play" | "result" | "note")
  >;
  /** When it is, in words. */
  when: string;
  /** What is said of the viewer. */
  children?: ComponentChildren;
}

export const MissionText = ({ mission, when, children }: MissionTextProps) => {
  const { title, place, latitude, longitude, picture_url, briefings, rewards, result, note } = mission;
  const { required, required_to_play } = mission;
  const isNamed = new Set(briefings.map(({ audience }) => audience)).size > 1;
  return (
    <>
      {picture_url === null ? null : (
        <img class="mission-picture" src={picture_url} alt="" width={512} height={512} loading="lazy" />
      )}
      <div>
        <h3>{title}</h3>
        <p class="muted">{when}</p>
        {place === null ? null : <p class="mission-place">{place}</p>}
      </div>
      {result === null ? null : (
        <div class="mission-result">
          <strong>{texts.results[result]}</strong>
          {note === null ? null : <p>{note}</p>}
        </div>
      )}
      {children}
      {briefings.map((one, at) => (
        <BriefingText key={at} briefing={one} isNamed={isNamed} />
      ))}
      {result === null && (required || required_to_play) ? (
        <p>{required_to_play ? texts.requiredToPlay : texts.required}</p>
      ) : null}
      {rewards.length === 0 || result !== null ? null : (
        <div>
          <p class="label">{texts.rewards}</p>
          <ul class="bullets">
            {rewards.map(({ effect }, at) => (
              <li key={at}>{effectTexts(effect).join(", ")}</li>
            ))}
          </ul>
        </div>
      )}
      {latitude === null || longitude === null || result !== null ? null : (
        <ButtonLink
          text={texts.map}
          icon={MapPin}
          href={`geo:${latitude},${longitude}?q=${latitude},${longitude}`}
        />
      )}
    </>
  );
};
