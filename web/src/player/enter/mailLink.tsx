/** The pages of links in mails: one confirms an address, one ends announcements. Opening one changes nothing: only its button does. */
import { useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { refresh, sessionState } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EnterForm } from "./enter.tsx";

interface MailLinkProps {
  texts: Record<"title" | "lead" | "submit" | "doneTitle" | "done" | "wrong" | "open", string>;
  send: (token: string) => Promise<unknown>;
  /** Where it goes on from a link that has worked. */
  next: string;
}

const MailLink = ({ texts, send, next }: MailLinkProps) => {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const [isDone, setDone] = useState(false);
  const form = useSubmit(async () => {
    await send(token);
    // The token is used, and need not stay in the history.
    history.replaceState(null, "", location.pathname);
    setDone(true);
    if (sessionState.value === "active") await refresh().catch(() => {});
  });
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
        <ButtonLink text={texts.open} kind="primary" href={isDone ? next : paths.profile} />
      </div>
    </main>
  );
};

export const Confirm = () => (
  <MailLink
    texts={en.confirm}
    send={(token) => api.post("/confirm_email", { body: { token } })}
    next={paths.me}
  />
);

export const Unsubscribe = () => (
  <MailLink
    texts={en.unsubscribe}
    send={(token) =>
      api.post("/unsubscribe_email", { query: { token }, body: { "List-Unsubscribe": "One-Click" } })
    }
    next={paths.profile}
  />
);
