/** The end of the season: its result with a preview, and what game masters see of it afterwards. */
import { signal } from "@preact/signals";
import { Flag, Plus, Trash2, Undo2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { RESULT_TEXTS } from "../../../../../lib/domain/game/seasonMessages.ts";
import { isLike, openDraft } from "../../../state/draft.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { bindFields, Field } from "../../../ui/field.tsx";
import { command, type Result } from "../../calls.ts";
import { isUnknownAlias } from "../../roster.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { Select } from "../../ui/inputs.tsx";
import { PlayerField } from "../../ui/playerField.tsx";
import type { readReset } from "./newSeason.tsx";

type Preview = Result<"finish_season">;
type SeasonResult = Preview["result"];
type EndOfSeason = Pick<Awaited<ReturnType<typeof readReset>>, "finish" | "finishes">;

/** An award as it is typed. */
const NEW_AWARD = { title: "", alias: "", text: "" };
type TypedAward = typeof NEW_AWARD;

/** The end of the season as it is typed. */
interface TypedEnd {
  result: SeasonResult | "";
  grace: string;
  note: string;
  awards: readonly TypedAward[];
}
const NEW_END: TypedEnd = { result: "", grace: "1800", note: "", awards: [] };

const isTypedEnd = (value: unknown): boolean => {
  const awards = typeof value === "object" && value !== null && "awards" in value ? value.awards : null;
  return isLike(NEW_END, value) && Array.isArray(awards) && awards.every((award) => isLike(NEW_AWARD, award));
};

const MAX_AWARDS = 20;

/** What finishing the season does, and what speaks against it. */
export const finishEffects = (
  { warnings, counts, checkpoint, missions, disputes, revealed }: Preview,
  result: SeasonResult | "",
  graceSeconds: number,
): string[] => [
  ...(result === "humans" && counts.humans === 0 ? [gm.season.end.noHumans] : []),
  ...(result === "zombies" && counts.humans > 0 ? [gm.season.end.humansLeft(counts.humans)] : []),
  ...(warnings.includes("paused") ? [gm.season.end.paused] : []),
  ...(missions.length === 0 ? [] : [gm.season.end.missions(missions.map(({ title }) => title))]),
  ...(checkpoint === null ? [] : [gm.season.end.checkpoint(checkpoint)]),
  ...(disputes === 0 ? [] : [gm.season.end.disputes(disputes)]),
  graceSeconds === 0 ? gm.season.end.atOnce : gm.season.end.grace(gm.period(graceSeconds)),
  ...(revealed === null || revealed.length === 0 ? [] : [gm.season.end.revealed(revealed)]),
  gm.season.end.frozen,
];

interface AwardRowProps {
  award: TypedAward;
  at: number;
  /** Whether it was just added, so that its first field gets the focus. */
  isNew: boolean;
  set: (part: Partial<TypedAward>) => void;
  onRemove: () => void;
}

const AwardRow = ({ award, at, isNew, set, onRemove }: AwardRowProps) => {
  const row = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (isNew) row.current?.querySelector("input")?.focus();
  }, []);
  const bind = bindFields(award, set);
  return (
    <fieldset class="stack" ref={row}>
      <legend>{gm.season.end.award(at + 1)}</legend>
      <Field label={gm.season.end.awardTitle} {...bind("title")} name={`awards.${at}.title`} />
      <PlayerField label={gm.season.end.awardAlias} {...bind("alias")} name={`awards.${at}.alias`} />
      <Field label={gm.season.end.awardText} {...bind("text")} name={`awards.${at}.text`} />
      <Button text={gm.season.end.removeAward(at + 1)} icon={Trash2} kind="quiet" onClick={onRemove} />
    </fieldset>
  );
};

/** Returns the command to finish the season, with what a dry run says. */
const previewFinish = async (): Promise<() => Confirmation> => {
  const dry = await command("finish_season", { result: "none", grace_seconds: 0, dry_run: true });
  const draft = openDraft("finish", NEW_END, isTypedEnd);
  const added = signal(false);
  const set = (part: Partial<TypedEnd>): void => {
    draft.signal.value = { ...draft.signal.peek(), ...part };
  };
  const setAward = (at: number, part: Partial<TypedAward>): void =>
    set({ awards: draft.signal.peek().awards.map((one, n) => (n === at ? { ...one, ...part } : one)) });
  return () => {
    const typed = draft.signal.value;
    const bind = bindFields(typed, set);
    return {
      action: "finish_season",
      title: gm.commands.finish_season.button,
      effects: finishEffects(dry, typed.result, Number(typed.grace)),
      drafts: [draft],
      isReady: () =>
        typed.result !== "" &&
        typed.awards.every(
          ({ title, alias, text }) =>
            [title, alias, text].every((value) => value.trim() !== "") && !isUnknownAlias(alias),
        ),
      fields: (
        <>
          <Select
            label={gm.season.end.result}
            name="result"
            options={gm.season.end.results}
            value={typed.result}
            onChange={(result) => set({ result })}
          />
          <Select
            label={gm.season.end.graceLabel}
            options={gm.season.end.graces}
            {...bind("grace")}
            name="grace_seconds"
          />
          <Field
            label={gm.season.end.note}
            hint={gm.season.end.noteHint}
            required={false}
            {...bind("note")}
          />
          {typed.awards.map((award, at) => (
            <AwardRow
              key={at}
              {...{ award, at }}
              isNew={added.peek()}
              set={(part) => setAward(at, part)}
              onRemove={() => set({ awards: typed.awards.toSpliced(at, 1) })}
            />
          ))}
          {typed.awards.length < MAX_AWARDS ? (
            <Button
              text={gm.season.end.addAward}
              icon={Plus}
              onClick={() => {
                added.value = true;
                set({ awards: [...typed.awards, NEW_AWARD] });
              }}
            />
          ) : null}
        </>
      ),
      run: async (reason, key) => {
        const { result, grace, note, awards } = draft.signal.peek();
        const said = note.trim();
        const given = awards.map(({ title, alias, text }) => ({
          ...{ title: title.trim(), alias: alias.trim(), text: text.trim() },
        }));
        const { final_at } = await command(
          "finish_season",
          {
            ...{ result: result === "" ? "none" : result, grace_seconds: Number(grace) },
            ...(said === "" ? {} : { note: said }),
            ...(given.length === 0 ? {} : { awards: given }),
            ...reason,
          },
          key,
        );
        return {
          text:
            grace === "0"
              ? gm.season.end.done
              : gm.season.end.doneAfter(timeText(Date.parse(final_at), Date.now())),
        };
      },
    };
  };
};

const reopenConfirmation = (): Confirmation => ({
  action: "reopen_season",
  title: gm.commands.reopen_season.button,
  effects: gm.season.end.reopenEffects,
  run: async (reason, key) => {
    await command("reopen_season", reason, key);
    return { text: gm.season.end.reopened };
  },
});

/** Earlier ends of this season. */
const Earlier = ({ finishes, at }: { finishes: EndOfSeason["finishes"]; at: number }) => (
  <details>
    <summary>{gm.season.end.earlier(finishes.length)}</summary>
    <ul class="bullets">
      {finishes.map((one) => (
        <li key={one.at}>
          {gm.season.end.entry(
            RESULT_TEXTS[one.result],
            one.by ?? gm.common.gone,
            timeText(Date.parse(one.at), at),
          )}
          {one.reopened_at === null
            ? null
            : ` ${gm.season.end.entryReopened(one.reopened_by ?? gm.common.gone, timeText(Date.parse(one.reopened_at), at))}`}
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
      <h3>{gm.season.end.title}</h3>
      {finish === null ? (
        <>
          <p class="muted">{isStarted ? gm.season.end.about : gm.season.end.notStarted}</p>
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
            {finish.is_final
              ? gm.season.end.isFinal
              : gm.season.end.isSecret(timeText(Date.parse(finish.final_at), at))}
          </p>
          {finish.warnings.map((warning) => (
            <p key={warning} class="note" role="alert">
              {warning === "no_humans_left" ? gm.season.end.noHumans : gm.season.end.humansLeftNow}
            </p>
          ))}
          {finish.given.length === 0 ? null : (
            <ul class="bullets">
              {finish.given.map(({ title, alias, text }) => (
                <li key={title}>{gm.season.end.given(title, alias ?? gm.common.gone, text)}</li>
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
