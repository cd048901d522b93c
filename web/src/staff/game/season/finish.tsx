/** The end of the season: its result with a preview, and what game masters see of it afterwards. */
import { type Signal, signal } from "@preact/signals";
import { Flag, Plus, Trash2, Undo2 } from "lucide";
import { RESULT_TEXTS } from "../../../../../lib/domain/game/seasonMessages.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { command, type Result } from "../../calls.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { bindSignal, Select } from "../../ui/inputs.tsx";
import type { readReset } from "./newSeason.tsx";

type Preview = Result<"finish_season">;
type SeasonResult = Preview["result"];
type EndOfSeason = Pick<Awaited<ReturnType<typeof readReset>>, "finish" | "finishes">;

/** An award as it is typed. */
interface TypedAward {
  title: Signal<string>;
  alias: Signal<string>;
  text: Signal<string>;
}

const MAX_AWARDS = 20;
const texts = gm.season.end;

const newAward = (): TypedAward => ({ title: signal(""), alias: signal(""), text: signal("") });

/** What finishing the season does, and what speaks against it. */
export const finishEffects = (
  { warnings, counts, checkpoint, missions, disputes, revealed }: Preview,
  result: SeasonResult | "",
  graceSeconds: number,
): string[] => [
  ...(result === "humans" && counts.humans === 0 ? [texts.noHumans] : []),
  ...(result === "zombies" && counts.humans > 0 ? [texts.humansLeft(counts.humans)] : []),
  ...(warnings.includes("paused") ? [texts.paused] : []),
  ...(missions.length === 0 ? [] : [texts.missions(missions.map(({ title }) => title))]),
  ...(checkpoint === null ? [] : [texts.checkpoint(checkpoint)]),
  ...(disputes === 0 ? [] : [texts.disputes(disputes)]),
  graceSeconds === 0 ? texts.atOnce : texts.grace(gm.period(graceSeconds)),
  ...(revealed === null || revealed.length === 0 ? [] : [texts.revealed(revealed)]),
  texts.frozen,
];

const AwardRow = ({ award, at, onRemove }: { award: TypedAward; at: number; onRemove: () => void }) => (
  <fieldset class="stack">
    <legend>{texts.award(at + 1)}</legend>
    <Field label={texts.awardTitle} name={`awards.${at}.title`} {...bindSignal(award.title)} />
    <Field label={texts.awardAlias} name={`awards.${at}.alias`} {...bindSignal(award.alias)} />
    <Field label={texts.awardText} name={`awards.${at}.text`} {...bindSignal(award.text)} />
    <Button text={texts.removeAward(at + 1)} icon={Trash2} kind="quiet" onClick={onRemove} />
  </fieldset>
);

/** Returns the command to finish the season, with what a dry run says. */
const previewFinish = async (): Promise<() => Confirmation> => {
  const dry = await command("finish_season", { result: "none", grace_seconds: 0, dry_run: true });
  const result = signal<SeasonResult | "">("");
  const grace = signal("1800");
  const note = signal("");
  const awards = signal<readonly TypedAward[]>([]);
  return () => ({
    action: "finish_season",
    title: gm.commands.finish_season.button,
    effects: finishEffects(dry, result.value, Number(grace.value)),
    isReady: () =>
      result.value !== "" &&
      awards.value.every((one) => [one.title, one.alias, one.text].every(({ value }) => value.trim() !== "")),
    fields: (
      <>
        <Select
          label={texts.result}
          name="result"
          options={texts.results}
          {...bindSignal<SeasonResult | "">(result)}
        />
        <Select label={texts.graceLabel} name="grace_seconds" options={texts.graces} {...bindSignal(grace)} />
        <Field label={texts.note} name="note" hint={texts.noteHint} required={false} {...bindSignal(note)} />
        {awards.value.map((award, at) => (
          <AwardRow
            key={at}
            {...{ award, at }}
            onRemove={() => {
              awards.value = awards.peek().filter((one) => one !== award);
            }}
          />
        ))}
        {awards.value.length < MAX_AWARDS ? (
          <Button
            text={texts.addAward}
            icon={Plus}
            onClick={() => {
              awards.value = [...awards.peek(), newAward()];
            }}
          />
        ) : null}
      </>
    ),
    run: async (reason, key) => {
      const chosen = result.peek();
      const said = note.peek().trim();
      const given = awards.peek().map(({ title, alias, text }) => ({
        ...{ title: title.peek().trim(), alias: alias.peek().trim(), text: text.peek().trim() },
      }));
      const { final_at } = await command(
        "finish_season",
        {
          ...{ result: chosen === "" ? "none" : chosen, grace_seconds: Number(grace.peek()) },
          ...(said === "" ? {} : { note: said }),
          ...(given.length === 0 ? {} : { awards: given }),
          ...reason,
        },
        key,
      );
      const isOver = grace.peek() === "0";
      return { text: isOver ? texts.done : texts.doneAfter(timeText(Date.parse(final_at), Date.now())) };
    },
  });
};

const reopenConfirmation = (): Confirmation => ({
  action: "reopen_season",
  title: gm.commands.reopen_season.button,
  effects: texts.reopenEffects,
  run: async (reason, key) => {
    await command("reopen_season", reason, key);
    return { text: texts.reopened };
  },
});

/** Earlier ends of this season. */
const Earlier = ({ finishes, at }: { finishes: EndOfSeason["finishes"]; at: number }) => (
  <details>
    <summary>{texts.earlier(finishes.length)}</summary>
    <ul class="bullets">
      {finishes.map((one) => (
        <li key={one.at}>
          {texts.entry(RESULT_TEXTS[one.result], one.by ?? gm.common.gone, timeText(Date.parse(one.at), at))}
          {one.reopened_at === null
            ? null
            : ` ${texts.entryReopened(one.reopened_by ?? gm.common.gone, timeText(Date.parse(one.reopened_at), at))}`}
        </li>
      ))}
    </ul>
  </details>
);

/** The end of the season, or the command that ends it. @param isStarted whether there is something to end */
export const End = ({ finish, finishes, isStarted }: EndOfSeason & { isStarted: boolean }) => {
  const at = now.value ?? Date.now();
  const earlier = finish === null ? finishes : finishes.slice(1);
  return (
    <div class="stack divided" id="end">
      <h3>{texts.title}</h3>
      {finish === null ? (
        <>
          <p class="muted">{isStarted ? texts.about : texts.notStarted}</p>
          <div class="actions">
            <CommandButton
              action="finish_season"
              icon={Flag}
              kind="primary"
              disabled={!isStarted}
              preview={previewFinish}
            />
          </div>
        </>
      ) : (
        <>
          <p>
            <strong>{`${RESULT_TEXTS[finish.result]}.`}</strong> {finish.note}
          </p>
          <p class="muted" role="status">
            {finish.is_final ? texts.isFinal : texts.isSecret(timeText(Date.parse(finish.final_at), at))}
          </p>
          {finish.warnings.map((warning) => (
            <p key={warning} class="note" role="alert">
              {warning === "no_humans_left" ? texts.noHumans : texts.humansLeftNow}
            </p>
          ))}
          {finish.given.length === 0 ? null : (
            <ul class="bullets">
              {finish.given.map(({ title, alias, text }) => (
                <li key={title}>{texts.given(title, alias ?? gm.common.gone, text)}</li>
              ))}
            </ul>
          )}
          <div class="actions">
            <CommandButton action="reopen_season" icon={Undo2} confirmation={reopenConfirmation} />
          </div>
        </>
      )}
      {earlier.length === 0 ? null : <Earlier finishes={earlier} at={at} />}
    </div>
  );
};
