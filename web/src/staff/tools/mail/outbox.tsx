/** The mails of a local service, which stores them instead of sending them, as they would arrive. */
import { RefreshCw } from "lucide";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { usePages } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { type Mail, read, storesMail } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { timeOf } from "./mail.tsx";
import "./outbox.css";

const PAGE_SIZE = 20;

type Message = NonNullable<Mail["message"]>;

/**
 * Shows HTML in a frame in which no script can run. Its styles are set by script, because the policy of the page allows
 * none in HTML.
 */
const fill = (frame: HTMLIFrameElement, html: string): void => {
  const target = frame.contentDocument;
  if (target === null) return;
  const mail = new DOMParser().parseFromString(html.replaceAll(' style="', ' data-style="'), "text/html");
  for (const element of mail.querySelectorAll<HTMLElement>("[data-style]"))
    element.style.cssText = element.dataset.style ?? "";
  for (const link of mail.links) {
    link.target = "_blank";
    link.rel = "noopener";
  }
  target.replaceChild(target.adoptNode(mail.documentElement), target.documentElement);
  // The height of the document would be at least that of the frame. It changes with the width of the page.
  new ResizeObserver(() => {
    frame.style.height = `${target.body.offsetHeight}px`;
  }).observe(target.body);
};

const Html = ({ html, subject }: Message) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const show = (): void => {
    if (frame.current !== null) fill(frame.current, html);
  };
  useEffect(show, [html]);
  // A browser may replace the first empty document of a frame by another one.
  return (
    <iframe
      ref={frame}
      class="mail-html"
      title={subject}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      onLoad={show}
    />
  );
};

const Opened = ({ message }: { message: Message }) => (
  <>
    <p class="muted">{`${gm.outbox.from}: ${message.from}`}</p>
    <Html {...message} />
    <details>
      <summary>{gm.outbox.plain}</summary>
      <pre class="mail-text">{message.text}</pre>
    </details>
  </>
);

const Row = ({ mail }: { mail: Mail }) => {
  const { kind, alias, state, reason, at, done_at, message } = mail;
  const about = [
    `${gm.outbox.to} ${message?.to ?? alias ?? gm.mail.nobody}`,
    message == null ? gm.mail.states[state] : null,
    timeOf(done_at ?? at),
    reason,
  ].filter((text) => text !== null);
  return (
    <li class="card stack mail">
      <div>
        <h2>{message?.subject ?? gm.mail.kinds[kind]}</h2>
        <p class="muted">{about.join(" · ")}</p>
      </div>
      {message == null ? null : <Opened message={message} />}
      {state === "sent" && message === null ? <p class="muted">{gm.outbox.unread}</p> : null}
    </li>
  );
};

const Messages = () => {
  const changesSeen = changeCount.value;
  const load = useCallback(
    async (cursor?: string) => {
      const page = await read("mail", { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
      return { items: page.mails, next: page.next_cursor };
    },
    [changesSeen],
  );
  const pages = usePages(load);
  return (
    <>
      <div class="actions">
        <Button icon={RefreshCw} text={gm.outbox.again} onClick={pages.reload} />
      </div>
      <PagesList pages={pages} empty={gm.outbox.empty}>
        {(mail) => <Row key={mail.mail_id} mail={mail} />}
      </PagesList>
    </>
  );
};

export const OutboxPage = () => (
  <main class="page stack">
    <header class="head">
      <div>
        <h1>{gm.nav.outbox}</h1>
        <p class="muted">{storesMail() ? gm.outbox.lead : gm.outbox.none}</p>
      </div>
    </header>
    {storesMail() ? <Messages /> : null}
  </main>
);
