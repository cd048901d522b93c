/** The form that enters a signature on paper, and what a player has signed. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/feedback.tsx";
import { bindFields, Field, FormErrors } from "../../../ui/field.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command, may, read } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { FieldBox } from "../../ui/inputs.tsx";
import { showToast } from "../../ui/toasts.tsx";
import type { ReadyPlayer, SignatureInfo } from "./signatures.ts";

/** An optional text of the request: nothing typed is nothing sent. */
const given = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: value });

/** Moves the focus to a form that opens above the list, which may be out of view, and back when it is closed. */
const useFocusHere = () => {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const heading = form.current?.querySelector("h2");
    if (heading != null) heading.tabIndex = -1;
    heading?.focus();
    return () => {
      // The button of another player has it already.
      const isLost = document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return form;
};

export const Paper = ({ player, close }: { player: ReadyPlayer; close: () => void }) => {
  const { alias } = player;
  const draft = useDraft(`paper:${player.player_ref}`, { full_name: "", guardian_name: "" });
  const bind = bindFields(draft.value, (part) => draft.set({ ...draft.value, ...part }));
  const [birthDate, setBirthDate] = useState("");
  const [contact, setContact] = useState("");
  const form = useSubmit(async () => {
    const body = {
      ...{ alias, full_name: draft.value.full_name },
      ...given("guardian_name", draft.value.guardian_name),
      ...given("birth_date", birthDate),
      ...given("emergency_contact", contact),
    };
    const { pending, repeated } = await command("paper_signature", body);
    draft.clear();
    notifyChanged();
    showToast(repeated ? gm.readiness.repeated(alias) : gm.readiness.entered(alias, pending));
    close();
  });
  const place = useFocusHere();
  return (
    <form ref={place} class="card stack" onSubmit={form.submit} noValidate>
      <h2>{gm.readiness.paper(alias)}</h2>
      <p class="muted">{gm.readiness.paperText}</p>
      <Restored draft={draft} />
      <FormErrors.Provider value={form.error}>
        <div class="pair">
          <Field label={gm.readiness.fullName} {...bind("full_name")} />
          <Field
            label={gm.readiness.guardian}
            hint={may("signatures") ? gm.readiness.guardianHint : gm.readiness.guardianModerator}
            required={false}
            {...bind("guardian_name")}
          />
          <FieldBox label={gm.readiness.birthDate} name="birth_date" hint={gm.readiness.onlyIfAsked}>
            {(ids) => (
              <input
                {...ids}
                type="date"
                name="birth_date"
                value={birthDate}
                onInput={({ currentTarget: { value } }) => setBirthDate(value)}
              />
            )}
          </FieldBox>
          <Field
            label={gm.readiness.contact}
            hint={gm.readiness.onlyIfAsked}
            name="emergency_contact"
            required={false}
            value={contact}
            onChange={setContact}
          />
        </div>
      </FormErrors.Provider>
      <FormError error={form.error} />
      <div class="actions">
        <Button
          text={gm.commands.paper_signature.button}
          kind="primary"
          type="submit"
          disabled={form.isSending}
        />
        <Button text={gm.common.cancel} kind="quiet" onClick={close} />
      </div>
    </form>
  );
};

/** What one player has signed, which is read, and logged, only on request. */
export const Signed = ({ player, close }: { player: ReadyPlayer; close: () => void }) => {
  const [found, setFound] = useState<SignatureInfo | null>(null);
  const { player_id: id } = player;
  const form = useSubmit(async () => {
    const { signatures } = await read("signatures", { player_id: id ?? "", contacts: "true" });
    setFound(signatures[0] ?? null);
  });
  const place = useFocusHere();
  return (
    <form ref={place} class="card stack" onSubmit={form.submit}>
      <h2>{player.alias}</h2>
      {found === null ? <p class="muted">{gm.readiness.showText}</p> : null}
      {found === null ? null : (
        <dl class="signed">
          {gm.readiness.facts(found).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <FormError error={form.error} />
      <div class="actions">
        {found === null ? (
          <Button text={gm.readiness.show} kind="primary" type="submit" disabled={form.isSending} />
        ) : null}
        <Button text={gm.common.close} kind="quiet" onClick={close} />
      </div>
    </form>
  );
};
