/** The button and the dialog with which a human reports that they were tagged. */
import { useState } from "preact/hooks";
import { api } from "../../state/api.ts";
import { useDraft } from "../../state/draft.ts";
import { useSubmit } from "../../state/resource.ts";
import { refresh } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/feedback.tsx";
import { Field, FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { timeAgo, When } from "../../ui/when.tsx";

interface ReportTaggedProps {
  /** The length of the report window, in seconds. */
  window: number;
  at: number;
}

export const ReportTagged = ({ window, at }: ReportTaggedProps) => {
  const [isOpen, setOpen] = useState(false);
  const draft = useDraft("tagged-by", "");
  const { value: by, set: setBy } = draft;
  const [minutesAgo, setMinutesAgo] = useState(0);
  const close = (): void => setOpen(false);
  const form = useSubmit(
    async () => {
      const hunter = by.trim() === "" ? {} : { by_alias: by };
      const tagged_at = minutesAgo === 0 ? {} : { tagged_at: timeAgo(at, minutesAgo) };
      await api.post("/player/report_tagged/{url_id}", { body: { ...hunter, ...tagged_at } });
      draft.clear();
      close();
      await refresh();
    },
    { player_not_found: "by_alias", not_running: "tagged_at", too_early: "tagged_at" },
  );
  return (
    <>
      <div class="main-action">
        <Button text={en.me.tagged} kind="primary" onClick={() => setOpen(true)} />
      </div>
      <Dialog isOpen={isOpen} title={en.me.taggedTitle} onClose={close}>
        <form class="stack" onSubmit={form.submit}>
          <p>{en.me.taggedText}</p>
          <Restored draft={draft} />
          <FormErrors.Provider value={form.error}>
            <Field label={en.me.taggedBy} name="by_alias" value={by} onChange={setBy} required={false} />
            <When name="tagged_at" minutesAgo={minutesAgo} window={window} onChange={setMinutesAgo} />
          </FormErrors.Provider>
          <FormError error={form.error} />
          <Button text={en.me.taggedSubmit} kind="primary" type="submit" disabled={form.isSending} />
          <Button text={en.me.cancel} kind="quiet" onClick={close} />
        </form>
      </Dialog>
    </>
  );
};
