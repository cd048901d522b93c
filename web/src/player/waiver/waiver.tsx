/** The waiver: to sign it, to read it later, and to see one's own signature. */
import { useCallback, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import type { PublicWaiver, Waiver as WaiverView } from "../../schemas.ts";
import { api, GameError } from "../../state/api.ts";
import { useDraft } from "../../state/draft.ts";
import { usePages, useSubmit } from "../../state/resource.ts";
import { now, refresh, snapshot } from "../../state/session.ts";
import { timeText } from "../../text/times.ts";
import { waiver as texts } from "../../text/waiver.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty, ErrorNote, FormError, Skeleton } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { NOTHING_TYPED, requireAnswers, Signature, signatureOf } from "./signature.tsx";

const readWaiver = async () => ({ items: [await api.get("/waiver/{url_id}")], next: null });

const shownTime = (time: string): string => timeText(Date.parse(time), now.value ?? Date.now());

const Own = ({ view, reload }: { view: WaiverView; reload: () => void }) => {
  const { signature } = view;
  const form = useSubmit(async () => {
    const body = { photo_consent: signature?.photo_consent !== true };
    await api.post("/edit_player/{url_id}", { body });
    await refresh();
    reload();
  });
  if (signature === null) return null;
  const { full_name, signed_at, version, guardian_name, on_paper, photo_consent, photo_consent_at } =
    signature;
  const sentence = on_paper ? texts.paper : texts.signed;
  return (
    <section class="card stack">
      <p>{sentence(full_name, shownTime(signed_at), version)}</p>
      {guardian_name === null ? null : <p>{texts.guardian(guardian_name)}</p>}
      {photo_consent === null ? null : (
        <form class="stack" onSubmit={form.submit}>
          {photo_consent_at === null ? null : (
            <p>{texts.consent(photo_consent, shownTime(photo_consent_at))}</p>
          )}
          {photo_consent ? <p class="muted">{texts.withdrawText}</p> : null}
          <ErrorNote error={form.error} />
          <Button
            text={photo_consent ? texts.withdraw : texts.give}
            kind="quiet"
            type="submit"
            disabled={form.isSending}
          />
        </form>
      )}
      <p class="muted">{texts.kept(view.keep_signatures_days)}</p>
    </section>
  );
};

const SignForm = ({ waiver, reload }: { waiver: PublicWaiver; reload: () => void }) => {
  const { route } = useLocation();
  // The tick belongs to the text that is shown, and the rest to nobody else who uses this device.
  const draft = useDraft("waiver", { fullName: "", photos: "" });
  const [secret, setSecret] = useState({ isAgreed: false, birthDate: "", contact: "" });
  const typed = { ...NOTHING_TYPED, ...draft.value, ...secret };
  const form = useSubmit(async () => {
    requireAnswers(typed, waiver);
    try {
      await api.post("/player/sign/{url_id}", { body: signatureOf(typed, waiver) });
    } catch (error) {
      if (error instanceof GameError && error.code === "changed_meanwhile") reload();
      throw error;
    }
    draft.clear();
    await refresh();
    route(paths.me, true);
  });
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <p class="muted">{texts.lead}</p>
      <Restored draft={draft} />
      <FormErrors.Provider value={form.error}>
        <Signature
          waiver={waiver}
          typed={typed}
          set={({ fullName, photos, ...rest }) => {
            if (fullName !== undefined) draft.set({ ...draft.value, fullName });
            if (photos !== undefined) draft.set({ ...draft.value, photos });
            setSecret((before) => ({ ...before, ...rest }));
          }}
        />
      </FormErrors.Provider>
      <FormError error={form.error} />
      <div class="actions">
        <Button text={texts.submit} kind="primary" type="submit" disabled={form.isSending} />
        <ButtonLink text={texts.notNow} kind="quiet" href={paths.me} />
      </div>
    </form>
  );
};

export const Waiver = () => {
  const { items, error, isLoading, reload } = usePages(useCallback(readWaiver, []));
  const [view] = items;
  const player = snapshot.value?.player;
  const { version, text } = view ?? { version: null, text: null };
  const waiver = view !== undefined && version !== null && text !== null ? { ...view, version, text } : null;
  const isSigned = view?.signed_at !== null;
  return (
    <main class="page stack">
      <h1>{texts.title}</h1>
      <ErrorNote error={error} onRetry={reload} />
      {view === undefined && isLoading ? <Skeleton /> : null}
      {view !== undefined && waiver === null ? <Empty>{texts.none}</Empty> : null}
      {player?.under_age === true ? <p class="card">{texts.underAge}</p> : null}
      {view === undefined ? null : <Own view={view} reload={reload} />}
      {view?.signature != null && !isSigned && waiver !== null ? <p>{texts.old}</p> : null}
      {waiver === null ? null : isSigned ? (
        <section class="card stack">
          <h2>{texts.text}</h2>
          <Markdown text={waiver.text} />
        </section>
      ) : (
        <SignForm waiver={waiver} reload={reload} />
      )}
    </main>
  );
};
