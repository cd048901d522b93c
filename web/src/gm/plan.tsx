/**
 * Commands with confirmation. A dialog lists the effects of a command and asks for a reason. Destructive commands are then
 * delayed by ten seconds so that they can be cancelled, because the service cannot undo a death or a cure: a revived human
 * gets a new tag code. Closing the page cancels delayed commands.
 */
import { signal } from "@preact/signals";
import { Check as Tick, TriangleAlert, Undo2, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useSubmit } from "../resource.ts";
import { useModal } from "../ui/dialog.tsx";
import { ErrorNote, errorText } from "../ui/feedback.tsx";
import { Icon } from "../ui/icon.tsx";
import { type CommandPath, checkRole, may } from "./calls.ts";
import { Reason } from "./inputs.tsx";
import { gm } from "./texts.ts";
import "./plan.css";

/** The result of a command. A secret is shown until the dialog is closed. */
export interface Outcome {
  text: string;
  secret?: string;
}

/** A command that waits for confirmation. */
export interface Plan {
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
  /** Whether the form asks for a reason; `optional` by default. */
  reason?: "optional" | "required" | "none";
  /** Whether the form can be submitted; by default it can. */
  isReady?: () => boolean;
  /** Executes the command. @param body the reason, if one was given @param key the idempotency key */
  run: (body: { reason?: string }, key: string) => Promise<Outcome>;
}

const DELAY_SECONDS = 10;

interface Toast {
  key: string;
  text: string;
  kind: "waiting" | "done" | "failed";
  /** The seconds until a delayed command is sent. */
  secondsLeft: number;
  send?: () => void;
}

const openedPlan = signal<(() => Plan) | null>(null);
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

const sendNow = async (plan: Plan, reason: { reason?: string }, key: string): Promise<void> => {
  removeToast(key);
  try {
    showToast((await plan.run(reason, key)).text, key);
    notifyChanged();
  } catch (error) {
    const retry = (): void => void sendNow(plan, reason, key);
    setToast({
      key,
      text: `${plan.title}: ${errorText(error)}`,
      kind: "failed",
      secondsLeft: 0,
      send: retry,
    });
    notifyChanged(error);
  }
};

const sendLater = (plan: Plan, reason: { reason?: string }, key: string): void => {
  const send = (): void => void sendNow(plan, reason, key);
  setToast({ key, text: plan.title, kind: "waiting", secondsLeft: DELAY_SECONDS, send });
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

addEventListener("beforeunload", (event) => {
  if (toasts.value.some(({ kind }) => kind === "waiting")) event.preventDefault();
});

/** Opens the dialog. @param plan a function may read signals, so that the dialog updates with its own fields */
export const openPlan = (plan: Plan | (() => Plan)): void => {
  openedPlan.value = typeof plan === "function" ? plan : () => plan;
};

const Form = ({ plan, onClose }: { plan: Plan; onClose: () => void }) => {
  const [reason, setReason] = useState("");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const key = useRef(crypto.randomUUID());
  const reasonMode = plan.reason ?? "optional";
  const given: { reason?: string } = reason.trim() === "" ? {} : { reason: reason.trim() };
  const form = useSubmit(async () => {
    if (plan.isDestructive) {
      sendLater(plan, given, key.current);
      onClose();
      return;
    }
    try {
      const done = await plan.run(given, key.current);
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
  });
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
      <h2>{plan.title}</h2>
      {plan.effects.length === 0 ? null : (
        <ul class="effects">
          {plan.effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      {plan.fields}
      {reasonMode === "none" ? null : (
        <Reason value={reason} onChange={setReason} required={reasonMode === "required"} />
      )}
      <ErrorNote error={form.error} />
      <button
        type="submit"
        class="button"
        data-kind={plan.isDestructive ? "danger" : "primary"}
        disabled={
          form.isSending ||
          plan.isReady?.() === false ||
          (reasonMode === "required" && given.reason === undefined)
        }
      >
        {plan.submit}
      </button>
      <button type="button" class="button" data-kind="quiet" onClick={onClose}>
        {gm.common.cancel}
      </button>
      {plan.isDestructive ? <p class="field-note">{gm.plan.delay(DELAY_SECONDS)}</p> : null}
    </form>
  );
};

const PlanDialog = () => {
  const plan = openedPlan.value?.();
  const close = (): void => {
    openedPlan.value = null;
  };
  const modal = useModal(plan !== undefined && may(plan.path), close);
  return (
    <dialog {...modal} class="card plan" aria-label={plan?.title}>
      {plan === undefined ? null : <Form plan={plan} onClose={close} />}
    </dialog>
  );
};

const ICONS = { waiting: Undo2, done: Tick, failed: TriangleAlert };

const Toasts = () => (
  <div class="toasts" aria-live="polite">
    {toasts.value.map(({ key, text, kind, secondsLeft, send }) => (
      <div key={key} class="toast" data-kind={kind}>
        <Icon of={ICONS[kind]} size={20} />
        <p>{kind === "waiting" ? gm.plan.waiting(text, secondsLeft) : text}</p>
        {kind === "waiting" ? (
          <>
            <button type="button" class="button" onClick={() => removeToast(key)}>
              {gm.plan.takeBack}
            </button>
            <button type="button" class="button" data-kind="quiet" onClick={send}>
              {gm.plan.now}
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
export const Plans = () => (
  <>
    <PlanDialog />
    <Toasts />
  </>
);

interface PlanButtonProps {
  plan: Plan | (() => Plan);
  path: CommandPath;
  children: ComponentChildren;
  kind?: "primary" | "quiet" | "danger";
  disabled?: boolean;
  /** The accessible name of a button with only an icon. */
  label?: string;
}

/** A button that opens the dialog of a command. Not rendered for roles that may not execute it. */
export const PlanButton = ({ plan, path, children, kind, disabled, label }: PlanButtonProps) =>
  may(path) ? (
    <button
      type="button"
      class="button"
      data-kind={kind}
      disabled={disabled}
      aria-label={label}
      onClick={() => openPlan(plan)}
    >
      {children}
    </button>
  ) : null;

interface PreviewButtonProps extends Omit<PlanButtonProps, "plan"> {
  /** Builds the command from the result of a dry run. */
  preview: () => Promise<Plan | (() => Plan)>;
}

/** Like `PlanButton`, for commands with a dry run, which runs first. */
export const PreviewButton = ({ path, preview, children, kind, disabled }: PreviewButtonProps) => {
  const form = useSubmit(async () => openPlan(await preview()));
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
