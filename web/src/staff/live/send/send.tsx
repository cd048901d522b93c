/** The page to send messages, with a preview, scheduling and the delivery status. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { counterOf, TAKING_PART } from "../../../../../lib/domain/players/states.ts";
import { useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { bindFields, Field } from "../../../ui/field.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command, type Result, read, sendsMail } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { type Confirmation, openConfirmation } from "../../ui/confirmation.tsx";
import { Select, TextArea } from "../../ui/inputs.tsx";
import { ReadError } from "../../ui/loading.tsx";
import { ToOwnAddress } from "../../ui/ownAddress.tsx";
import { TimeField } from "../../ui/timeField.tsx";
import { readSentMessages } from "../logged.ts";
import "./send.css";

type Sent = Result<"send">;

interface Draft {
  title: string;
  content: string;
  audience: string;
  sendAt: string | null;
  /** Whether it also goes by mail, and only to those who have not signed, or attended fewer missions; empty for all. */
  isMailed: boolean;
  isUnsigned: boolean;
  below: string;
}

type Message = Pick<Draft, "title" | "content" | "audience" | "isMailed" | "isUnsigned" | "below">;

const bodyOf = ({ title, content, audience, isMailed, isUnsigned, below }: Message) => ({
  ...{ title, content, audience, player_groups: "All" },
  ...(isUnsigned ? { unsigned: true } : {}),
  ...(below === "" ? {} : { missions_below: Number(below) }),
  ...(isMailed ? { also_email: true } : {}),
});

const zone = (): string => snapshot.value?.game.time_zone ?? "UTC";

const LABEL = "label";

const AUDIENCES = ["all", ...TAKING_PART.map(counterOf), "moderators", LABEL] as const;

const audienceText = (audience: string): string => {
  const known = AUDIENCES.find((one) => one === audience);
  return known === undefined
    ? gm.send.withLabel(audience.replace(`${LABEL}:`, ""))
    : gm.send.audiences[known];
};

const sendConfirmation = ({ sendAt, ...message }: Draft, onSent: (id: string) => void): Confirmation => ({
  action: "send",
  title: gm.send.title,
  effects: [
    gm.send.to(audienceText(message.audience)),
    ...(message.isUnsigned ? [gm.send.unsigned] : []),
    ...(message.below === "" ? [] : [gm.send.onlyBelow(Number(message.below))]),
    ...(message.isMailed ? [gm.send.byMail] : []),
    sendAt === null ? gm.send.atOnce : gm.send.later(zonedText(sendAt, zone())),
    gm.send.inbox,
  ],
  // A delivered push cannot be withdrawn.
  isDelayed: sendAt === null,
  run: async (reason, key) => {
    const body = {
      ...bodyOf(message),
      ...(sendAt === null ? {} : { send_at: sendAt }),
    };
    const { notification } = await command("send", { ...body, ...reason }, key);
    onSent(notification.notification_id);
    return { text: sendAt === null ? gm.send.sent : gm.send.scheduled };
  },
});

const withdrawConfirmation = ({ notification: { notification_id, title } }: Sent): Confirmation => ({
  action: "withdraw",
  title: gm.send.withdrawTitle(title),
  effects: [gm.send.withdrawEffect],
  run: async (reason, key) => {
    await command("withdraw", { notification_id, ...reason }, key);
    return { text: gm.send.withdrawn };
  },
});

const Phone = ({ title, content }: Pick<Draft, "title" | "content">) => (
  <figure class="phone">
    <figcaption class="muted">{gm.send.preview}</figcaption>
    <div class="push">
      <span class="push-app">{gm.send.app(snapshot.value?.game.name ?? "")}</span>
      <strong>{gm.send.sender(title === "" ? gm.send.noTitle : title)}</strong>
      <p>{content === "" ? gm.send.noContent : content}</p>
    </div>
  </figure>
);

/** The polling interval during a delivery, which takes minutes for thousands of devices. */
const POLL_MS = 5_000;

const Progress = ({ id, by }: { id: string; by: string | null }) => {
  const load = useCallback(() => read("status", { notification_id: id }), [id]);
  const { value, error, reload } = usePolled(load);
  useEffect(() => {
    if (value === null || value.status !== undefined) return;
    if (value.queued === undefined || (value.queued === 0 && (value.emails === undefined || value.complete)))
      return;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [value]);
  if (error !== null) return <ErrorNote error={error} onRetry={reload} />;
  if (value === null) return null;
  const { notification, status, emails } = value;
  const at = notification.send_at;
  return (
    <li class="row">
      <p class="grow">
        <strong>{notification.title}</strong>
        <span class="sub">
          {by === null ? "" : `${gm.send.by(by)} · `}
          {audienceText(notification.audience ?? "all")} ·{" "}
          {status === undefined
            ? gm.send.delivery(value)
            : status === "scheduled" && at !== undefined
              ? gm.send.waits(zonedText(at, zone()))
              : gm.send.isWithdrawn}
          {emails === undefined || status !== undefined ? "" : ` · ${gm.send.mailed(emails)}`}
        </span>
      </p>
      {status === "scheduled" ? (
        <CommandButton action="withdraw" confirmation={withdrawConfirmation(value)} />
      ) : null}
    </li>
  );
};

/** How many would get a mail and what it says, and a test to the game master. It is made anew for another message. */
const MailPreview = ({ message, isReady }: { message: Message; isReady: boolean }) => {
  const [shown, setShown] = useState<Sent | null>(null);
  const [isSent, setSent] = useState(false);
  const preview = useSubmit(async () =>
    setShown(await command("send", { ...bodyOf(message), dry_run: true })),
  );
  const test = useSubmit(async () => {
    await command("send", { ...bodyOf(message), test_email: true });
    setSent(true);
  });
  return (
    <>
      <div class="actions">
        <Button
          text={gm.send.previewMail}
          disabled={!isReady || preview.isSending}
          onClick={preview.submit}
        />
        <ToOwnAddress>
          <Button text={gm.send.testMail} disabled={!isReady || test.isSending} onClick={test.submit} />
        </ToOwnAddress>
      </div>
      {shown === null ? null : (
        <>
          <p role="status">{gm.send.mails(shown.emails ?? 0)}</p>
          <p class="note mail-sample">{shown.sample}</p>
        </>
      )}
      {isSent ? <p role="status">{gm.send.testSent}</p> : null}
      <ErrorNote error={preview.error ?? test.error} />
    </>
  );
};

const NO_BREAK = "\u00a0";

/** How many of an audience have turned notifications on. */
const Reachable = ({ audience }: { audience: string }) => {
  const load = useCallback(() => read("player_count", { audience }), [audience]);
  const polled = usePolled(load);
  const { value, error } = polled;
  if (value === null && error !== null) return <ReadError of={[polled]} />;
  // The line is there before its number, so that the button below does not move while somebody presses it.
  return (
    <p class="muted">
      {value?.reachable == null ? NO_BREAK : gm.send.reachable(value.reachable, value.total, audience)}
    </p>
  );
};

/** The audience waits until no more is typed, since each number is an entry of the audit log. */
const SETTLED_MS = 800;

const LATEST = 10;
const readSent = () => readSentMessages(LATEST);

const EMPTY = {
  ...{ title: "", content: "", to: "all", label: "", sendAt: null as string | null },
  ...{ isMailed: false, isUnsigned: false, below: "" },
};
const MAX_TITLE = 120;
const MAX_CONTENT = 2_000;

export const Send = () => {
  const draft = useDraft("message", EMPTY);
  const { title, content, label, sendAt, isMailed = false, isUnsigned = false, below = "" } = draft.value;
  const to = AUDIENCES.find((one) => one === draft.value.to) ?? "all";
  const reading = usePolled(readSent);
  const sent = reading.value ?? [];
  const set = (part: Partial<typeof EMPTY>): void => draft.set({ ...draft.value, ...part });
  const bind = bindFields(draft.value, set);
  const named = label.trim() === "" ? "" : `${LABEL}:${label.trim().toLowerCase()}`;
  const audience = to === LABEL ? named : to;
  const [settled, setSettled] = useState(audience);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(audience), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [audience]);
  const isNumber = below === "" || /^([1-9]\d?|100)$/.test(below);
  const isReady =
    title.trim() !== "" &&
    content.trim() !== "" &&
    audience !== "" &&
    title.length <= MAX_TITLE &&
    content.length <= MAX_CONTENT &&
    isNumber;
  const message = { title, content, audience, isMailed: isMailed && sendsMail(), isUnsigned, below };
  const submit = (event: Event): void => {
    event.preventDefault();
    openConfirmation(sendConfirmation({ ...message, sendAt }, () => draft.sent(draft.value)));
  };
  return (
    <main class="page stack">
      <h1>{gm.send.title}</h1>
      <div class="send">
        <form class="card stack" onSubmit={submit}>
          <Restored draft={draft} />
          <Select
            label={gm.send.whom}
            name="audience"
            value={to}
            options={AUDIENCES.map((one) => [one, gm.send.audiences[one]] as const)}
            onChange={(value) => set({ to: value })}
            hint={gm.send.audienceHint}
          />
          {to === LABEL ? <Field label={gm.send.label} {...bind("label")} /> : null}
          {settled === "" ? null : <Reachable audience={settled} />}
          <Field
            label={gm.send.heading}
            {...bind("title")}
            error={title.length > MAX_TITLE ? gm.send.tooLong(MAX_TITLE) : undefined}
          />
          <TextArea
            label={gm.send.text}
            rows={4}
            {...bind("content")}
            hint={content.length > MAX_CONTENT ? gm.send.tooLong(MAX_CONTENT) : undefined}
          />
          <label class="row">
            <input
              type="checkbox"
              name="unsigned"
              checked={isUnsigned}
              onChange={() => set({ isUnsigned: !isUnsigned })}
            />
            <span class="grow">{gm.send.unsigned}</span>
          </label>
          <Field
            label={gm.send.below}
            {...bind("below")}
            error={isNumber ? undefined : gm.common.wholeNumber(1, 100)}
            required={false}
          />
          {sendsMail() ? (
            <label class="row">
              <input
                type="checkbox"
                name="also_email"
                checked={isMailed}
                onChange={() => set({ isMailed: !isMailed })}
              />
              <span class="grow">{gm.send.alsoMail}</span>
            </label>
          ) : null}
          {message.isMailed ? (
            <MailPreview key={JSON.stringify(message)} message={message} isReady={isReady} />
          ) : null}
          <TimeField label={gm.send.when} zone={zone()} {...bind("sendAt")} name="send_at" />
          <div class="actions">
            <Button text={gm.send.review} kind="primary" type="submit" disabled={!isReady} />
          </div>
        </form>
        <Phone title={title} content={content} />
      </div>
      {sent.length === 0 && reading.error === null ? null : (
        <section class="card stack">
          <h2>{gm.send.last}</h2>
          <ReadError of={[reading]} />
          <ul class="list">
            {sent.map(({ id, by }) => (
              <Progress key={id} id={id} by={by} />
            ))}
          </ul>
        </section>
      )}
    </main>
  );
};
