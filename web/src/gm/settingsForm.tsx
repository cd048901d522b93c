/** A form for some of the settings, which describes the effects of the changes before they are saved. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { command, type Settings } from "./calls.ts";
import { type Confirmation, openConfirmation } from "./confirmation.tsx";
import { effectsOf } from "./settingTexts.ts";
import { gm } from "./texts.ts";

interface SectionProps {
  id: string;
  title: string;
  /** The saved settings. Only fields that differ are sent, so that concurrent changes by others are kept. */
  settings: Settings;
  children: (draft: Settings, set: (part: Partial<Settings>) => void) => ComponentChildren;
  /** Normalizes the input before it is compared and sent. */
  tidy?: (part: Partial<Settings>) => Partial<Settings>;
  /** Content below the form. */
  below?: ComponentChildren;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const saveConfirmation = (
  title: string,
  settings: Settings,
  changed: Partial<Settings>,
  onSaved: () => void,
): Confirmation => ({
  path: "/admin/settings/{url_id}",
  title,
  effects: effectsOf(settings, changed),
  submit: gm.common.save,
  run: async (reason, key) => {
    const { join_codes, ...others } = changed;
    // `uses_left` is read-only: the service counts the uses.
    const codes = join_codes?.map(({ code, uses, ends_at }) => ({ code, uses, ends_at }));
    const body = { ...others, ...(codes === undefined ? {} : { join_codes: codes }), ...reason };
    await command("/admin/settings/{url_id}", body, key);
    onSaved();
    return { text: gm.game.saved };
  },
});

export const Section = ({ id, title, settings, children, tidy = (part) => part, below }: SectionProps) => {
  const draft = useMemo(() => signal<Partial<Settings>>({}), []);
  const shown = { ...settings, ...draft.value };
  const set = (part: Partial<Settings>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const entries = Object.entries(tidy(draft.value)) as [keyof Settings, unknown][];
  const changed: Partial<Settings> = Object.fromEntries(
    entries.filter(([name, value]) => !isSame(value, settings[name])),
  );
  const hasChanges = Object.keys(changed).length > 0;
  const submit = (event: Event): void => {
    event.preventDefault();
    openConfirmation(
      saveConfirmation(title, settings, changed, () => {
        draft.value = {};
      }),
    );
  };
  return (
    <section id={id} class="card">
      <form class="stack" onSubmit={submit}>
        <h2>{title}</h2>
        {children(shown, set)}
        <div class="actions">
          <button
            type="submit"
            class="button"
            data-kind={hasChanges ? "primary" : undefined}
            disabled={!hasChanges}
          >
            {gm.game.review}
          </button>
          {hasChanges ? (
            <button
              type="button"
              class="button"
              data-kind="quiet"
              onClick={() => {
                draft.value = {};
              }}
            >
              {gm.game.discard}
            </button>
          ) : null}
        </div>
      </form>
      {below}
    </section>
  );
};
