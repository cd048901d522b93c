/** A form for some of the settings, which describes the effects of the changes before they are saved. */
import type { ComponentChildren } from "preact";
import { hasPartsOf, useDraft } from "../../../state/draft.ts";
import { effectsOf, labelOf, valueText } from "../../../text/settingTexts.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { bindFields } from "../../../ui/field.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import type { SettingName, Settings } from "../../calls.ts";
import { openConfirmation } from "../../ui/confirmation.tsx";
import { withMerge } from "../../ui/conflicts.tsx";
import { changeSettings, readSettings, type Versions, versionsOf } from "./settings.ts";

interface Form {
  draft: Settings;
  set: (part: Partial<Settings>) => void;
  bind: ReturnType<typeof bindFields<Settings>>;
}

interface SectionProps {
  id: string;
  title: string;
  /** The saved settings. Only fields that differ are sent, so that concurrent changes by others are kept. */
  settings: Settings;
  children: (form: Form) => ComponentChildren;
  /** The stored settings in the form in which they are edited. */
  open?: (stored: Settings) => Settings;
  /** Normalizes the input before it is compared and sent: the inverse of `open`. */
  tidy?: (part: Partial<Settings>) => Partial<Settings>;
  /** What a request has besides the changed settings. */
  more?: (changed: Partial<Settings>) => object;
  /** Content below the form. */
  below?: ComponentChildren;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What somebody has typed, and the settings as they were when they began to type each of it. */
interface Draft {
  values: Partial<Settings>;
  versions: Versions;
}

const NO_DRAFT: Draft = { values: {}, versions: {} };

/** A change of settings in the form of a request. `uses_left` is read-only: the service counts the uses. */
const requestOf = ({ join_codes, ...others }: Partial<Settings>) => ({
  ...others,
  ...(join_codes === undefined
    ? {}
    : { join_codes: join_codes.map(({ code, uses, ends_at }) => ({ code, uses, ends_at })) }),
});

interface Save {
  title: string;
  settings: Settings;
  changed: Partial<Settings>;
  versions: Versions;
  /** What the request has besides. */
  more: object;
  /** Forgets what was typed of these settings. */
  forget: (names: readonly SettingName[]) => void;
}

const saveConfirmation = ({ title, settings, changed, versions, more, forget }: Save) => {
  // `keys` forgets the names, which are those of settings in a form.
  const names = Object.keys(changed) as SettingName[];
  const conflicting = (theirs: Settings): SettingName[] =>
    names.filter((name) => theirs.versions[name] !== versions[name] && !isSame(theirs[name], changed[name]));
  return withMerge<Settings>(
    () => ({
      action: "settings",
      title,
      effects: effectsOf(settings, changed),
    }),
    {
      read: readSettings,
      send: async (theirs, reason, key) => {
        const known = versionsOf(theirs ?? { ...settings, versions }, names);
        const body = { ...requestOf(changed), ...more, versions: known, ...reason };
        await changeSettings(body, key);
        forget(names);
        return { text: gm.game.saved };
      },
      conflicts: (theirs) =>
        conflicting(theirs).map((name) => ({
          label: labelOf(name),
          theirs: valueText(name, theirs),
          mine: valueText(name, { ...theirs, ...changed }),
        })),
      take: (theirs) => {
        forget(conflicting(theirs));
        return false;
      },
    },
  );
};

export const Section = ({ id, title, settings, children, open, tidy, more, below }: SectionProps) => {
  const opened = open?.(settings) ?? settings;
  const draft = useDraft(`settings:${id}`, NO_DRAFT, (value) =>
    hasPartsOf({ values: opened, versions: settings.versions }, value),
  );
  const { values, versions } = draft.value;
  const shown = { ...opened, ...values };
  const set = (part: Partial<Settings>): void => {
    const names = Object.keys(part) as SettingName[];
    draft.set({
      values: { ...values, ...part },
      versions: { ...versionsOf(settings, names), ...versions },
    });
  };
  const forget = (names: readonly SettingName[]): void => {
    const isLeft = ([name]: [string, unknown]): boolean => !names.some((one) => one === name);
    const left = <T,>(all: Record<string, T>) => Object.fromEntries(Object.entries(all).filter(isLeft));
    const rest = { values: left<unknown>(values), versions: left(versions) };
    if (Object.keys(rest.values).length === 0) draft.clear();
    else draft.set(rest);
  };
  const entries = Object.entries(tidy?.(values) ?? values) as [keyof Settings, unknown][];
  const changed: Partial<Settings> = Object.fromEntries(
    entries.filter(([name, value]) => !isSame(value, settings[name])),
  );
  const hasChanges = Object.keys(changed).length > 0;
  const isChangedSince = Object.entries(versions).some(
    ([name, version]) => settings.versions[name] !== version,
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    openConfirmation(
      saveConfirmation({ title, settings, changed, versions, more: more?.(changed) ?? {}, forget }),
    );
  };
  return (
    <section id={id} class="card">
      <form class="stack" onSubmit={submit}>
        <h2>{title}</h2>
        <Restored draft={draft}>{isChangedSince ? gm.game.savedSince : null}</Restored>
        {children({ draft: shown, set, bind: bindFields(shown, set) })}
        <div class="actions save-bar" data-active={hasChanges}>
          <Button
            text={gm.game.review}
            kind={hasChanges ? "primary" : undefined}
            type="submit"
            disabled={!hasChanges}
          />
          {hasChanges ? <Button text={gm.game.discard} kind="quiet" onClick={() => draft.clear()} /> : null}
        </div>
      </form>
      {below}
    </section>
  );
};
