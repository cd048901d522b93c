/** The form that makes a batch of codes. */
import {
  BADGE_NAME_LENGTH,
  BADGE_SYMBOL_LENGTH,
  MAX_CODES,
  MAX_POINTS,
  MAX_USES,
} from "../../../../../lib/domain/rewards/limits.ts";
import { paths } from "../../../paths.ts";
import { useDraft } from "../../../state/draft.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { bindFields, Field } from "../../../ui/field.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command } from "../../calls.ts";
import { openConfirmation } from "../../ui/confirmation.tsx";
import { HOUR_SECONDS, MAX_HOURS } from "../../ui/hours.ts";
import { NumberField, Select, TextArea } from "../../ui/inputs.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { type NewCodes, sentencesFor } from "./effectText.ts";

const EMPTY = {
  ...{ label: "", audience: "zombies", does: "nothing", badge: "", symbol: "", message: "", place: "" },
  ...{ n: 20 as number | null, uses: 1 as number | null, perPlayer: 1 as number | null },
  ...{ hours: 12 as number | null, points: null as number | null },
  ...{ from: null as string | null, until: null as string | null },
};
type Typed = typeof EMPTY;

const filled = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim());

const effectOf = ({ does, hours, points, badge, symbol, message }: Typed): NewCodes["effect"] | null => {
  const [name, sign, text] = [filled(badge), filled(symbol), filled(message)];
  // A badge has both.
  if ((name === undefined) !== (sign === undefined)) return null;
  const effect = {
    ...(does === "food" && hours !== null ? { feed_seconds: hours * HOUR_SECONDS } : {}),
    ...(does === "cure" ? { cure: true as const } : {}),
    ...(points === null ? {} : { points }),
    ...(name === undefined || sign === undefined ? {} : { badge: { name, symbol: sign } }),
    ...(text === undefined ? {} : { message: text }),
  };
  return Object.keys(effect).length === 0 ? null : effect;
};

/** The codes as they are typed; `null` as long as something is missing. */
const codesOf = (typed: Typed): NewCodes | null => {
  const { n, uses, perPlayer, from, until } = typed;
  const [label, place, effect] = [filled(typed.label), filled(typed.place), effectOf(typed)];
  const audience = gm.codes.audiences.map(([one]) => one).find((one) => one === typed.audience);
  if (effect === null || audience === undefined) return null;
  if (n === null || uses === null || perPlayer === null || label === undefined) return null;
  return {
    ...{ label, n, effect, audience, uses, uses_per_player: perPlayer },
    ...(from === null ? {} : { valid_from: from }),
    ...(until === null ? {} : { valid_until: until }),
    ...(place === undefined ? {} : { place }),
  };
};

export const MakeCodes = () => {
  const draft = useDraft("codes", EMPTY);
  const typed = draft.value;
  const set = (part: Partial<Typed>): void => draft.set({ ...typed, ...part });
  const bind = bindFields<Typed>(typed, set);
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  const codes = codesOf(typed);
  const sentences = codes === null ? [] : sentencesFor(codes);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (codes === null) return;
    openConfirmation({
      action: "create_codes",
      title: gm.codes.title(codes.n),
      effects: [...sentences, gm.codes.seen],
      run: async (reason, key) => {
        const made = await command("create_codes", { ...codes, ...reason }, key);
        draft.clear();
        return { text: gm.codes.made(made.codes.length), page: paths.gm.batch(made.batch_id) };
      },
    });
  };
  const audience = gm.codes.audiences.find(([one]) => one === typed.audience)?.[0] ?? "zombies";
  const does = gm.codes.kinds.find(([one]) => one === typed.does)?.[0] ?? "nothing";
  return (
    <form class="stack" onSubmit={submit}>
      <Restored draft={draft} />
      <Field label={gm.codes.label} hint={gm.codes.labelHint} {...bind("label")} />
      <div class="pair">
        <Select
          label={gm.codes.whom}
          name="audience"
          value={audience}
          options={gm.codes.audiences}
          onChange={(value) => set({ audience: value })}
        />
        <Select
          label={gm.codes.does}
          name="does"
          value={does}
          options={gm.codes.kinds}
          onChange={(value) => set({ does: value })}
        />
        {does === "food" ? (
          <NumberField label={gm.codes.hours} min={1} max={MAX_HOURS} {...bind("hours")} />
        ) : null}
        <NumberField label={gm.codes.points} min={1} max={MAX_POINTS} {...bind("points")} />
        <Field
          label={gm.codes.badge}
          required={false}
          {...bind("badge")}
          error={typed.badge.length > BADGE_NAME_LENGTH ? gm.send.tooLong(BADGE_NAME_LENGTH) : undefined}
        />
        {typed.badge.trim() === "" ? null : (
          <Field
            label={gm.codes.symbol}
            hint={gm.codes.symbolHint}
            {...bind("symbol")}
            error={
              typed.symbol.length > BADGE_SYMBOL_LENGTH ? gm.send.tooLong(BADGE_SYMBOL_LENGTH) : undefined
            }
          />
        )}
      </div>
      <TextArea label={gm.codes.message} rows={2} {...bind("message")} />
      <div class="pair">
        <NumberField label={gm.codes.n} min={1} max={MAX_CODES} {...bind("n")} />
        <NumberField label={gm.codes.uses} min={1} max={MAX_USES} {...bind("uses")} />
        <NumberField
          label={gm.codes.perPlayer}
          hint={gm.codes.perPlayerHint}
          min={1}
          max={MAX_CODES}
          {...bind("perPlayer")}
        />
        <Field label={gm.codes.place} hint={gm.codes.placeHint} required={false} {...bind("place")} />
        <TimeField label={gm.codes.from} zone={zone} {...bind("from")} name="valid_from" />
        <TimeField label={gm.codes.until} zone={zone} {...bind("until")} name="valid_until" />
      </div>
      <p class="note" aria-live="polite">
        {codes === null ? gm.codes.incomplete : sentences.join(" ")}
      </p>
      <div class="actions">
        <Button text={gm.codes.review} kind="primary" type="submit" disabled={codes === null} />
      </div>
    </form>
  );
};
