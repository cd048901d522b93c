/** The page of the link that ends announcements by mail. Opening it changes nothing: only the button does. */
import { useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { refresh, sessionState } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EnterForm } from "./enter.tsx";

export const Unsubscribe = () => {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const [isDone, setDone] = useState(false);
  const form = useSubmit(async () => {
    await api.post("/unsubscribe_email", { query: { token }, body: { "List-Unsubscribe": "One-Click" } });
    history.replaceState(null, "", location.pathname);
    setDone(true);
    if (sessionState.value === "active") await refresh().catch(() => {});
  });
  const texts = en.unsubscribe;
  if (!isDone && token !== "")
    return (
      <EnterForm title={texts.title} lead={texts.lead} submitText={texts.submit} form={form}>
        {null}
      </EnterForm>
    );
  return (
    <main class="page">
      <div class="stack card">
        <h1>{isDone ? texts.doneTitle : en.confirm.wrongTitle}</h1>
        <p class="muted">{isDone ? texts.done : texts.wrong}</p>
        <ButtonLink text={texts.open} kind="primary" href={paths.profile} />
      </div>
    </main>
  );
};
