/** The page of the link that confirms an address. Opening it changes nothing: only the button does. */
import { useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { refresh, sessionState } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EnterForm } from "./enter.tsx";

export const Confirm = () => {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const [isDone, setDone] = useState(false);
  const form = useSubmit(async () => {
    await api.post("/confirm_email", { body: { token } });
    // The token is used up, and need not stay in the history.
    history.replaceState(null, "", location.pathname);
    setDone(true);
    if (sessionState.value === "active") await refresh().catch(() => {});
  });
  if (!isDone && token !== "")
    return (
      <EnterForm title={en.confirm.title} lead={en.confirm.lead} submitText={en.confirm.submit} form={form}>
        {null}
      </EnterForm>
    );
  return (
    <main class="page">
      <div class="stack card">
        <h1>{isDone ? en.confirm.doneTitle : en.confirm.wrongTitle}</h1>
        <p class="muted">{isDone ? en.confirm.done : en.confirm.wrong}</p>
        <ButtonLink text={en.confirm.open} kind="primary" href={isDone ? paths.me : paths.profile} />
      </div>
    </main>
  );
};
