/**
 * Commands with confirmation. A dialog lists the effects of a command and asks for a reason. Destructive commands are then
 * delayed by ten seconds so that they can be cancelled, because the service cannot undo a death or a cure: a revived human
 * gets a new tag code. Closing the page cancels delayed commands.
 */
import { type Signal, signal } from "@preact/signals";
import { Check as Tick, TriangleAlert, Undo2, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useDraft } from "../../state/draft.ts";
import { errorText } from "../../state/errors.ts";
import { useSubmit } from "../../state/resource.ts";
import { gm } from "../../text/staff.ts";
import { useModal } from "../../ui/dialog.tsx";
import { ErrorNote, FormError } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { type CommandPath, checkRole, may } from "../calls.ts";
import { Reason } from "./inputs.tsx";
import "./confirmation.css";

/** The result of a command. A secret is shown until the dialog is closed. */
export interface Outcome {
  text: string;
  secret?: string;
}

/** A command that waits for confirmation. */
export interface Confirmation {
  /** The endpoint. The command is available to roles that may call it. */
  path: CommandPath;
  title: string;
  /** What the command will do, one sentence per line. */
  effects: readonly string[];
  submit: string;
  /** Delays the command by ten seconds so that it can be cancelled. */
  isDestructive?: boolean;
  /** Additional form fields. */
  fields?: ComponentChildren;
  /** A second way on, which sends nothing. @returns whether the dialog closes */
  other?: { text: string; run: () => boolean };
  /** What is typed into the fields, which is forgotten when the command is sent or cancelled. */
  drafts?: readonly { isRestored: Signal<boolean>; clear: () => void }[];
  /** The fields that errors are about, by the code of the error. */
  fieldsOfCodes?: Readonly<Record<string, string>>;
  /** Whether the form asks for a reason; `optional` by default. */
  reason?: "optional" | "required" | "none";
  /** Whether the form can be submitted; by default it can. */
  isReady?: () => boolean;
  /** Executes the command. @param body the reason, if one was given @param key the idempotency key */
  run: (body: { reason?: string }, key: string) => Promise<Outcome>;
}

/** The commands whose reason the players concerned see, in their history or when they log in. */
const SHOWN_REASONS: ReadonlySet<CommandPath> = new Set([
  ...(["/admin/corpsify/{url_id}", "/admin/cure/{url_id}", "/admin/make_spectator/{url_id}"] as const),
  ...(["/admin/revive_h/{url_id}", "/admin/revive_z/{url_id}", "/admin/revive_all/{url_id}"] as const),
  ...(["/admin/feed_player/{url_id}", "/admin/feed_group/{url_id}", "/admin/admit/{url_id}"] as const),
  ...(["/admin/void_hunt/{url_id}", "/admin/void_hunts/{url_id}", "/admin/draw_originals/{url_id}"] as const),
  ...(["/admin/kill_all_not_at_checkpoint/{url_id}", "/admin/undo_checkpoint/{url_id}"] as const),
  "/admin/ban/{url_id}",
]);

const DELAY_SECONDS = 10;

interface Toast {
  key: string;
  text: string;
  kind: "waiting" | "done" | "failed";
  /** The seconds until a delayed command is sent. */
  secondsLeft: number;
  send?: () => void;
}

const openedConfirmation = signal<(() => Confirmation) | null>(null);
const toasts = signal<readonly Toast[]>([]);
/** The number of executed commands. Pages reload their data when it changes. */
export const changeCount = signal(0);

const setToast = (toast: Toast): void => {
  toasts.value = [...toasts.value.filter(({ key }) => key !== toast.key), toast];
};

const removeToast = (key: string): void => {
  toasts.value = toasts.value.filter((toast) => toast.key !== key);
};

const TOAST_MS = 8_000;

/** Shows the result of a command for eight seconds. */
export const showToast = (text: string, key: string = crypto.randomUUID()): void => {
  setToast({ key, text, kind: "done", secondsLeft: 0 });
  setTimeout(() => removeToast(key), TOAST_MS);
};

/** Makes pages reload their data. Also called after a failure, since another game master may have changed something. */
export const notifyChanged = (error?: unknown): void => {
  changeCount.value += 1;
  checkRole(error);
};

const sendNow = async (
  confirmation: Confirmation,
  reason: { reason?: string },
  key: string,
  onSent: () => void = () => {},
): Promise<void> => {
  removeToast(key);
  try {
    showToast((await confirmation.run(reason, key)).text, key);
    onSent();
    notifyChanged();
  } catch (error) {
    const retry = (): void => void sendNow(confirmation, reason, key, onSent);
    setToast({
      key,
      text: `${confirmation.title}: ${errorText(error)}`,
      kind: "failed",
      secondsLeft: 0,
      send: retry,
    });
    notifyChanged(error);
  }
};

const sendLater = (
  confirmation: Confirmation,
  reason: { reason?: string },
  key: string,
  onSent?: () => void,
): void => {
  const send = (): void => void sendNow(confirmation, reason, key, onSent);
  setToast({ key, text: confirmation.title, kind: "waiting", secondsLeft: DELAY_SECONDS, send });
  const timer = setInterval(() => {
    const toast = toasts.value.find((one) => one.key === key && one.kind === "waiting");
    if (toast === undefined) return clearInterval(timer);
    if (toast.secondsLeft > 1) {
      toasts.value = toasts.value.map((one) =>
        one.key === key ? { ...one, secondsLeft: one.secondsLeft - 1 } : one,
      );
      return;
    }
    clearInterval(timer);
    send();
  }, 1_000);
};

/** Sends a command that needs no dialog: after ten seconds, in which it can be taken back. */
export const sendWithoutDialog = (confirmation: Confirmation): void =>
  sendLater(confirmation, {}, crypto.randomUUID());

addEventListener("beforeunload", (event) => {
  if (toasts.value.some(({ kind }) => kind === "waiting")) event.preventDefault();
});

/** Opens the dialog. @param confirmation a function may read signals, so that the dialog updates with its own fields */
export const openConfirmation = (confirmation: Confirmation | (() => Confirmation)): void => {
  openedConfirmation.value = typeof confirmation === "function" ? confirmation : () => confirmation;
};

const Form = ({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) => {
  const typed = useDraft(`reason:${confirmation.title}`, "");
  const { value: reason, set: setReason } = typed;
  const { drafts = [] } = confirmation;
  const forget = (): void => {
    for (const draft of [typed, ...drafts]) draft.clear();
  };
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const key = useRef(crypto.randomUUID());
  const reasonMode = confirmation.reason ?? "optional";
  const given: { reason?: string } = reason.trim() === "" ? {} : { reason: reason.trim() };
  const form = useSubmit(async () => {
    if (confirmation.isDestructive) {
      sendLater(confirmation, given, key.current, forget);
      onClose();
      return;
    }
    try {
      const done = await confirmation.run(given, key.current);
      forget();
      notifyChanged();
      if (done.secret !== undefined) {
        setOutcome(done);
        return;
      }
      showToast(done.text);
      onClose();
    } catch (error) {
      notifyChanged(error);
      throw error;
    }
  }, confirmation.fieldsOfCodes);
  if (outcome !== null)
    return (
      <div class="stack">
        <h2>{outcome.text}</h2>
        <p class="secret number">{outcome.secret}</p>
        <button type="button" class="button" data-kind="primary" onClick={onClose}>
          {gm.common.close}
        </button>
      </div>
    );
  return (
    <form class="stack" onSubmit={form.submit}>
      <h2>{confirmation.title}</h2>
      {confirmation.effects.length === 0 ? null : (
        <ul class="effects">
          {confirmation.effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      <Restored
        draft={{
          isRestored: typed.isRestored || drafts.some(({ isRestored }) => isRestored.value),
          clear: forget,
        }}
      />
      <FormErrors.Provider value={form.error}>
        {confirmation.fields}
        {reasonMode === "none" ? null : (
          <Reason
            value={reason}
            onChange={setReason}
            required={reasonMode === "required"}
            isShown={SHOWN_REASONS.has(confirmation.path)}
          />
        )}
      </FormErrors.Provider>
      <FormError error={form.error} />
      {confirmation.isDestructive ? <p class="field-note">{gm.confirmation.delay(DELAY_SECONDS)}</p> : null}
      <div class="decide">
        <button
          type="submit"
          class="button"
          data-kind={confirmation.isDestructive ? "danger" : "primary"}
          disabled={
            form.isSending ||
            confirmation.isReady?.() === false ||
            (reasonMode === "required" && given.reason === undefined)
          }
        >
          {confirmation.submit}
        </button>
        {confirmation.other === undefined ? null : (
          <button
            type="button"
            class="button"
            onClick={() => {
              form.clear();
              if (confirmation.other?.run() === true) onClose();
            }}
          >
            {confirmation.other.text}
          </button>
        )}
        <button
          type="button"
          class="button"
          data-kind="quiet"
          onClick={() => {
            forget();
            onClose();
          }}
        >
          {gm.common.cancel}
        </button>
      </div>
    </form>
  );
};

const ConfirmDialog = () => {
  const confirmation = openedConfirmation.value?.();
  const close = (): void => {
    openedConfirmation.value = null;
  };
  const modal = useModal(confirmation !== undefined && may(confirmation.path), close);
  return (
    <dialog {...modal} class="card confirmation" aria-label={confirmation?.title}>
      {confirmation === undefined ? null : <Form confirmation={confirmation} onClose={close} />}
    </dialog>
  );
};

const ICONS = { waiting: Undo2, done: Tick, failed: TriangleAlert };

const Toasts = () => (
  <div class="toasts" aria-live="polite">
    {toasts.value.map(({ key, text, kind, secondsLeft, send }) => (
      <div key={key} class="toast" data-kind={kind}>
        <Icon of={ICONS[kind]} size={20} />
        <p>{kind === "waiting" ? gm.confirmation.waiting(text, secondsLeft) : text}</p>
        {kind === "waiting" ? (
          <>
            <button type="button" class="button" onClick={() => removeToast(key)}>
              {gm.confirmation.takeBack}
            </button>
            <button type="button" class="button" data-kind="quiet" onClick={send}>
              {gm.confirmation.now}
            </button>
          </>
        ) : (
          <button
            type="button"
            class="button"
            data-kind="quiet"
            aria-label={gm.common.dismiss}
            onClick={() => removeToast(key)}
          >
            <Icon of={X} size={20} />
          </button>
        )}
      </div>
    ))}
  </div>
);

/** The dialog and the toasts, mounted once for all game masters' pages. */
export const Confirmations = () => (
  <>
    <ConfirmDialog />
    <Toasts />
  </>
);

interface ConfirmButtonProps {
  confirmation: Confirmation | (() => Confirmation);
  path: CommandPath;
  children: ComponentChildren;
  kind?: "primary" | "quiet" | "danger";
  disabled?: boolean;
  /** The accessible name of a button with only an icon. */
  label?: string;
}

/** A button that opens the dialog of a command. Not rendered for roles that may not execute it. */
export const ConfirmButton = ({ confirmation, path, children, kind, disabled, label }: ConfirmButtonProps) =>
  may(path) ? (
    <button
      type="button"
      class="button"
      data-kind={kind}
      disabled={disabled}
      aria-label={label}
      onClick={() => openConfirmation(confirmation)}
    >
      {children}
    </button>
  ) : null;

interface PreviewButtonProps extends Omit<ConfirmButtonProps, "confirmation"> {
  /** Builds the command from the result of a dry run. */
  preview: () => Promise<Confirmation | (() => Confirmation)>;
}

/** Like `ConfirmButton`, for commands with a dry run, which runs first. */
export const PreviewButton = ({ path, preview, children, kind, disabled }: PreviewButtonProps) => {
  const form = useSubmit(async () => openConfirmation(await preview()));
  if (!may(path)) return null;
  return (
    <>
      <button
        type="button"
        class="button"
        data-kind={kind}
        disabled={disabled || form.isSending}
        onClick={() => void form.submit()}
      >
        {children}
      </button>
      <ErrorNote error={form.error} />
    </>
  );
};
