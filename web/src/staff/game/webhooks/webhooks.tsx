/** Adds, tests and removes webhooks. */
import { signal } from "@preact/signals";
import { Plus, Send, Trash2 } from "lucide";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { command, type Webhook } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { isChangedMeanwhile } from "../../ui/conflicts.tsx";
import { bindSignal, Checkbox, Select } from "../../ui/inputs.tsx";
import { Loading } from "../../ui/loading.tsx";
import {
  type Change,
  changeSettings,
  newestOf,
  readSettings,
  type Versions,
  versionsOf,
} from "../settings/settings.ts";

const MAX_WEBHOOKS = 5;
type Format = Webhook["format"];
type Event = (typeof gm.webhooks.events)[number][0];

const readWebhooks = async (): Promise<Webhook[]> => (await readSettings()).webhooks;

type Webhooks = NonNullable<Change["webhooks"]>;

/** A change of a few webhooks at once fails this often at most. */
const MAX_ATTEMPTS = 5;

/**
 * Changes the list of webhooks. A request replaces all of it, so one that somebody else has changed meanwhile is read and
 * changed again: one more and one less do not contradict each other.
 */
const changeWebhooks = (change: (before: Webhooks) => Webhooks) => {
  // A retry with the same idempotency key must have the same body.
  let body: { webhooks: Webhooks; versions: Versions } | undefined;
  return async (reason: { reason?: string }, key: string) => {
    for (let attempt = 1; ; attempt += 1) {
      if (body === undefined) {
        const settings = await readSettings();
        const before = settings.webhooks.map(({ webhook_id }) => ({ webhook_id }));
        body = { webhooks: change(before), versions: versionsOf(settings, ["webhooks"]) };
      }
      try {
        return await changeSettings({ ...body, ...reason }, key);
      } catch (error) {
        if (!isChangedMeanwhile(error) || attempt === MAX_ATTEMPTS) throw error;
        body = undefined;
      }
    }
  };
};

const addConfirmation = (): (() => Confirmation) => {
  const url = signal("");
  const format = signal<Format>("discord");
  const which = signal<"all" | "some">("all");
  const events = signal<readonly Event[]>([]);
  const send = changeWebhooks((others) => {
    const some = which.value === "all" ? {} : { events: [...events.value] };
    return [...others, { url: url.value.trim(), format: format.value, ...some }];
  });
  const toggle = (event: Event, isWanted: boolean): void => {
    events.value = [...events.value.filter((one) => one !== event), ...(isWanted ? [event] : [])];
  };
  return () => ({
    action: "settings",
    title: gm.webhooks.add,
    effects: gm.webhooks.addEffects,
    submit: gm.webhooks.add,
    isReady: () => url.value.trim() !== "" && (which.value === "all" || events.value.length > 0),
    fields: (
      <>
        <Field label={gm.webhooks.url} name="url" hint={gm.webhooks.urlHint} {...bindSignal(url)} />
        <Select
          label={gm.webhooks.format}
          name="format"
          options={gm.webhooks.formats}
          {...bindSignal(format)}
        />
        <Select label={gm.webhooks.which} name="which" options={gm.webhooks.choices} {...bindSignal(which)} />
        {which.value === "all" ? null : (
          <fieldset class="checks">
            <legend class="visually-hidden">{gm.webhooks.which}</legend>
            {gm.webhooks.events.map(([event, text]) => (
              <Checkbox
                key={event}
                label={text}
                name={event}
                value={events.value.includes(event)}
                onChange={(isWanted) => toggle(event, isWanted)}
              />
            ))}
          </fieldset>
        )}
      </>
    ),
    run: async (reason, key) => {
      const secret = (await send(reason, key)).webhooks.at(-1)?.secret ?? null;
      if (secret !== null) return { text: gm.webhooks.secret, secret };
      return { text: format.value === "signed" ? gm.webhooks.lost : gm.webhooks.added };
    },
  });
};

const removeConfirmation = ({ webhook_id, host }: Webhook): Confirmation => {
  const send = changeWebhooks((all) => all.filter((one) => one.webhook_id !== webhook_id));
  return {
    action: "settings",
    title: gm.webhooks.removeTitle(host),
    effects: gm.webhooks.removeEffects,
    submit: gm.webhooks.remove,
    run: async (reason, key) => {
      await send(reason, key);
      return { text: gm.webhooks.removed };
    },
  };
};

/** The timeout of a test: five seconds for the receiver, and the time in the queue. */
const TEST_TIMEOUT_MS = 15_000;
const TEST_POLL_MS = 2_500;

/** Sends a test to all webhooks, and waits until each has succeeded or failed, or the timeout is reached. */
const testAll = async (): Promise<void> => {
  const before = new Map((await readWebhooks()).map((one) => [one.webhook_id, JSON.stringify(one)]));
  await command("settings", { test_webhooks: true });
  const isWaiting = (one: Webhook): boolean => before.get(one.webhook_id) === JSON.stringify(one);
  const until = performance.now() + TEST_TIMEOUT_MS;
  do await new Promise((resolve) => setTimeout(resolve, TEST_POLL_MS));
  while ((await readWebhooks()).some(isWaiting) && performance.now() < until);
  notifyChanged();
};

/** Before the settings have been read. */
const NONE = { webhooks: [], time_zone: "UTC" };

const eventTexts = (events: readonly string[]): string =>
  gm.webhooks.events
    .filter(([event]) => events.includes(event))
    .map(([, text]) => text)
    .join(", ");

const stateOf = ({ disabled_at, last_error, tested_at }: Webhook, zone: string): string => {
  if (disabled_at !== null) return gm.webhooks.disabled(zonedText(disabled_at, zone), last_error);
  if (last_error !== null) return gm.webhooks.failing(last_error);
  return tested_at === null ? gm.webhooks.untested : gm.webhooks.tested(zonedText(tested_at, zone));
};

export const Webhooks = () => {
  const polled = usePolled(readSettings);
  const { webhooks, time_zone: zone } = polled.value === null ? NONE : newestOf(polled.value);
  const testing = useSubmit(testAll);
  return (
    <main class="page stack">
      <h1>{gm.webhooks.title}</h1>
      <p class="muted">{gm.webhooks.lead}</p>
      <Loading of={polled} rows={2} />
      <ErrorNote error={testing.error} />
      <ul class="list" aria-live="polite">
        {webhooks.map((webhook) => (
          <li key={webhook.webhook_id} class="row">
            <p class="grow">
              <strong>{webhook.host}</strong>
              <span class="sub">
                {gm.webhooks.formatNames[webhook.format]} ·{" "}
                {webhook.events === null ? gm.webhooks.all : eventTexts(webhook.events)}
              </span>
              <span class="sub" data-failing={webhook.last_error !== null}>
                {testing.isSending ? gm.webhooks.testing : stateOf(webhook, zone)}
              </span>
            </p>
            <CommandButton
              action="settings"
              text={gm.webhooks.removeTitle(webhook.host)}
              icon={Trash2}
              isIcon
              kind="quiet"
              confirmation={removeConfirmation(webhook)}
            />
          </li>
        ))}
      </ul>
      <div class="actions">
        <CommandButton
          action="settings"
          text={gm.webhooks.add}
          icon={Plus}
          disabled={webhooks.length >= MAX_WEBHOOKS}
          confirmation={addConfirmation()}
        />
        {webhooks.length === 0 ? null : (
          <Button
            text={gm.webhooks.test}
            icon={Send}
            disabled={testing.isSending}
            onClick={() => void testing.submit()}
          />
        )}
      </div>
    </main>
  );
};
