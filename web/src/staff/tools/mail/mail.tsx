/** What became of each mail; sends one again, or a test, and lets mail go to refused addresses again. */
import { Inbox, SendHorizontal } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { type PageOf, usePages } from "../../../state/resource.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { command, type Mail, read, type Suppressed, sendsMail, storesMail } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { ToOwnAddress } from "../../ui/ownAddress.tsx";

const PAGE_SIZE = 100;

/** A time as lists show it. */
export const timeOf = (time: string): string => timeText(Date.parse(time), now.value ?? Date.now());

/** Sends a test of an invitation to the game master. */
export const testInvitation = (): Confirmation => ({
  action: "send_mail",
  ...gm.invitations.test,
  run: async (reason, key) => {
    await command("send_mail", { sample: "invite", ...reason }, key);
    return { text: gm.mail.queued };
  },
});

/** @param mail the mail to send again; `null` for a test */
const sendConfirmation = (mail: Mail | null): Confirmation => ({
  action: "send_mail",
  ...(mail === null ? gm.mail.test : gm.mail.again(gm.mail.kinds[mail.kind], mail.alias ?? gm.mail.nobody)),
  run: async (reason, key) => {
    await command("send_mail", { ...(mail === null ? {} : { mail_id: mail.mail_id }), ...reason }, key);
    return { text: gm.mail.queued };
  },
});

const liftConfirmation = ({ alias }: Suppressed): Confirmation => ({
  action: "lift_suppression",
  ...gm.mail.lift(alias),
  run: async (reason, key) => {
    await command("lift_suppression", { alias, ...reason }, key);
    return { text: gm.mail.lifted(alias) };
  },
});

const Row = ({ mail }: { mail: Mail }) => {
  const { kind, alias, state, tries, reason, at, done_at, can_send_again } = mail;
  return (
    <li class="row">
      <p class="grow">
        <strong>{alias ?? gm.mail.nobody}</strong> · {gm.mail.kinds[kind]}
        <span class="sub">
          {[gm.mail.states[state], timeOf(done_at ?? at), gm.mail.tries(tries), reason]
            .filter((text) => text !== null)
            .join(" · ")}
        </span>
      </p>
      {can_send_again ? <CommandButton action="send_mail" confirmation={sendConfirmation(mail)} /> : null}
    </li>
  );
};

const Refused = ({ suppressed }: { suppressed: readonly Suppressed[] }) => (
  <section class="card stack">
    <h2>{gm.mail.suppressed}</h2>
    <p class="muted">{gm.mail.suppressedLead}</p>
    <ul class="list">
      {suppressed.map((one) => (
        <li key={one.alias} class="row">
          <p class="grow">
            <strong>{one.alias}</strong>
            <span class="sub">{`${timeOf(one.at)} · ${one.reason}`}</span>
          </p>
          <CommandButton action="lift_suppression" confirmation={liftConfirmation(one)} />
        </li>
      ))}
    </ul>
  </section>
);

const Delivery = () => {
  const [suppressed, setSuppressed] = useState<readonly Suppressed[]>([]);
  const changesSeen = changeCount.value;
  const load = useCallback(
    async (cursor?: string): Promise<PageOf<Mail>> => {
      const page = await read("mail", { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
      // The first page has them.
      if (page.suppressed !== undefined) setSuppressed(page.suppressed);
      return { items: page.mails, next: page.next_cursor };
    },
    [changesSeen],
  );
  const pages = usePages(load);
  return (
    <>
      {suppressed.length === 0 ? null : <Refused suppressed={suppressed} />}
      <PagesList pages={pages} empty={gm.mail.empty}>
        {(mail) => <Row key={mail.mail_id} mail={mail} />}
      </PagesList>
    </>
  );
};

export const MailPage = () => (
  <main class="page stack">
    <header class="head">
      <div>
        <h1>{gm.nav.mail}</h1>
        <p class="muted">{storesMail() ? gm.mail.leadOfStored : gm.mail.lead}</p>
      </div>
      {sendsMail() ? (
        <div class="actions">
          {storesMail() ? <ButtonLink href={paths.gm.outbox} icon={Inbox} text={gm.nav.outbox} /> : null}
          <ToOwnAddress>
            <CommandButton
              action="send_mail"
              icon={SendHorizontal}
              text={gm.mail.testButton}
              confirmation={() => sendConfirmation(null)}
            />
          </ToOwnAddress>
        </div>
      ) : null}
    </header>
    {sendsMail() ? <Delivery /> : <Empty>{gm.mail.none}</Empty>}
  </main>
);
