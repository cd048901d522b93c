/** A field for the alias of a player, which proposes those whose alias or name begins like what is typed. */
import { useEffect, useRef } from "preact/hooks";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { isUnknownAlias, playersLike, useRoster } from "../roster.ts";
import type { InputProps } from "./inputs.tsx";
import { ReadError } from "./loading.tsx";

const MAX_PROPOSED = 5;

export const PlayerField = ({ label, name, value, onChange }: InputProps<string>) => {
  const roster = useRoster();
  const isUnknown = isUnknownAlias(value);
  const proposed = isUnknown ? playersLike(value, roster.players, MAX_PROPOSED) : [];
  const hasProposals = proposed.length > 0;
  const group = useRef<HTMLFieldSetElement>(null);
  // The buttons of a dialog may cover them.
  useEffect(() => group.current?.scrollIntoView({ block: "nearest" }), [hasProposals]);
  return (
    <div class="stack">
      <Field
        {...{ label, name, value, onChange }}
        error={isUnknown && !hasProposals ? gm.common.nobodyCalled(value.trim()) : undefined}
      />
      <ReadError of={[roster]} />
      {hasProposals ? (
        <fieldset ref={group} class="actions" aria-label={gm.common.whoIsMeant}>
          {proposed.map(({ alias }) => (
            <Button key={alias} text={alias} kind="small" onClick={() => onChange(alias)} />
          ))}
        </fieldset>
      ) : null}
    </div>
  );
};
