/** The fields of a mission: texts for each side, and what those get who come. */
import { Plus, Trash2 } from "lucide";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { MAX_POINTS } from "../../../../../lib/domain/rewards/limits.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { bindFields, Field } from "../../../ui/field.tsx";
import { HOUR_SECONDS, MAX_HOURS } from "../../ui/hours.ts";
import { Checkbox, NumberField, Select, TextArea } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import {
  AUDIENCES,
  type MissionForm,
  newBriefing,
  newReward,
  REWARD_AUDIENCES,
  readCoordinates,
  type TypedBriefing,
  type TypedReward,
} from "./missionForm.ts";

const MAX_BRIEFINGS = 8;
const MAX_REWARDS = 4;

interface PartProps {
  title: string;
  onRemove: (() => void) | null;
  children: ComponentChildren;
}

const Part = ({ title, onRemove, children }: PartProps) => (
  <fieldset class="mission-part stack">
    <legend class="label">{title}</legend>
    {children}
    {onRemove === null ? null : (
      <div class="actions">
        <Button text={gm.missions.remove(title)} icon={Trash2} kind="quiet" onClick={onRemove} />
      </div>
    )}
  </fieldset>
);

interface EditProps<T> {
  title: string;
  /** Distinguishes the fields of several parts. */
  at: number;
  value: T;
  zone: string;
  onChange: (value: T) => void;
  onRemove: (() => void) | null;
}

const BriefingFields = ({ title, at, value, zone, onChange, onRemove }: EditProps<TypedBriefing>) => {
  const bind = bindFields(value, (part) => onChange({ ...value, ...part }));
  const named = <K extends keyof TypedBriefing>(name: K) => ({
    ...bind(name),
    name: `briefings.${at}.${name}`,
  });
  return (
    <Part title={title} onRemove={onRemove}>
      <div class="pair">
        <Select
          label={gm.missions.audience}
          options={AUDIENCES.map((one) => [one, gm.missions.audiences[one]] as const)}
          {...named("audience")}
        />
        <TimeField label={gm.missions.revealAt} zone={zone} {...named("reveal_at")} />
      </div>
      <TextArea label={gm.missions.text} rows={5} hint={gm.game.markdown} {...named("text")} />
      <TextArea label={gm.missions.outcome} rows={2} {...named("outcome_text")} />
    </Part>
  );
};

const RewardFields = ({ title, at, value, onChange, onRemove }: EditProps<TypedReward>) => {
  const bind = bindFields(value, (part) => onChange({ ...value, ...part }));
  const named = <K extends keyof TypedReward>(name: K) => ({ ...bind(name), name: `rewards.${at}.${name}` });
  const { feed_seconds } = value;
  return (
    <Part title={title} onRemove={onRemove}>
      <div class="pair">
        <Select
          label={gm.missions.audience}
          options={REWARD_AUDIENCES.map((one) => [one, gm.missions.audiences[one]] as const)}
          {...named("audience")}
        />
        <NumberField label={gm.missions.points} min={1} max={MAX_POINTS} {...named("points")} />
        <NumberField
          label={gm.missions.feedHours}
          min={1}
          max={MAX_HOURS}
          {...named("feed_seconds")}
          value={feed_seconds === null ? null : Math.round(feed_seconds / HOUR_SECONDS)}
          onChange={(hours) =>
            onChange({ ...value, feed_seconds: hours === null ? null : hours * HOUR_SECONDS })
          }
        />
      </div>
      <div class="pair">
        <Field label={gm.missions.badgeName} required={false} {...named("badge_name")} />
        <Field
          label={gm.missions.badgeSymbol}
          hint={gm.missions.badgeHint}
          required={false}
          {...named("badge_symbol")}
        />
      </div>
      <Field label={gm.missions.message} required={false} {...named("message")} />
      <Checkbox label={gm.missions.cure} {...named("cure")} />
    </Part>
  );
};

/** A list with one item replaced, or without it. */
const replaced = <T,>(list: readonly T[], at: number, ...by: T[]): T[] => list.toSpliced(at, 1, ...by);

interface MissionFieldsProps {
  form: MissionForm;
  zone: string;
  set: (part: Partial<MissionForm>) => void;
  /** Whether the times, the desk and the rewards stay as they are, because the mission is closed. */
  isClosed: boolean;
}

export const MissionFields = ({ form, zone, set, isClosed }: MissionFieldsProps) => {
  const bind = bindFields(form, set);
  /** How many parts were removed: the fields of the others are made anew, without what was typed in theirs. */
  const [removed, setRemoved] = useState(0);
  const remove = (part: Partial<MissionForm>): void => {
    setRemoved(removed + 1);
    set(part);
  };
  const { starts_at, ends_at, coordinates, briefings, rewards } = form;
  const isBackwards = starts_at !== null && ends_at !== null && Date.parse(ends_at) <= Date.parse(starts_at);
  const isNowhere = coordinates.trim() !== "" && readCoordinates(coordinates) === null;
  return (
    <>
      <Field label={gm.missions.heading} {...bind("title")} />
      {isClosed ? null : (
        <div class="pair">
          <TimeField label={gm.missions.starts} zone={zone} {...bind("starts_at")} />
          <TimeField
            label={gm.missions.ends}
            zone={zone}
            {...bind("ends_at")}
            {...(isBackwards ? { hint: gm.missions.endsEarly } : {})}
          />
        </div>
      )}
      <div class="pair">
        <Field label={gm.missions.place} required={false} {...bind("place")} />
        <Field
          label={gm.missions.coordinates}
          hint={gm.missions.coordinatesHint}
          error={isNowhere ? gm.missions.noCoordinates : undefined}
          required={false}
          {...bind("coordinates")}
        />
      </div>
      <h3>{gm.missions.briefings}</h3>
      <p class="field-note">{gm.missions.briefingsHint}</p>
      {briefings.map((one, at) => (
        <BriefingFields
          key={`${removed} ${at}`}
          title={gm.missions.briefing(at + 1)}
          {...{ at, zone, value: one }}
          onChange={(value) => set({ briefings: replaced(briefings, at, value) })}
          onRemove={briefings.length === 1 ? null : () => remove({ briefings: replaced(briefings, at) })}
        />
      ))}
      <div class="actions">
        <Button
          text={gm.missions.addBriefing}
          icon={Plus}
          disabled={briefings.length >= MAX_BRIEFINGS}
          onClick={() =>
            set({ briefings: [...briefings, newBriefing(briefings.length === 1 ? "zombies" : "all")] })
          }
        />
      </div>
      {isClosed ? null : (
        <>
          <h3>{gm.missions.rewards}</h3>
          {rewards.map((one, at) => (
            <RewardFields
              key={`${removed} ${at}`}
              title={gm.missions.reward(at + 1)}
              {...{ at, zone, value: one }}
              onChange={(value) => set({ rewards: replaced(rewards, at, value) })}
              onRemove={() => remove({ rewards: replaced(rewards, at) })}
            />
          ))}
          <div class="actions">
            <Button
              text={gm.missions.addReward}
              icon={Plus}
              disabled={rewards.length >= MAX_REWARDS}
              onClick={() => set({ rewards: [...rewards, newReward()] })}
            />
          </div>
        </>
      )}
      <div>
        {isClosed ? null : (
          <Checkbox
            label={gm.missions.desk}
            {...bind("attendance")}
            onChange={(attendance) =>
              // Only what is entered at a desk can be required.
              set(attendance ? { attendance } : { attendance, required: false, required_to_play: false })
            }
          />
        )}
        {form.attendance ? (
          <>
            <Checkbox label={gm.missions.required} {...bind("required")} />
            <Checkbox label={gm.missions.requiredToPlay} {...bind("required_to_play")} />
          </>
        ) : null}
        {isClosed ? null : <Checkbox label={gm.missions.draft} {...bind("draft")} />}
      </div>
    </>
  );
};
