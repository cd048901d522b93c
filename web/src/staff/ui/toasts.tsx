/**
 * Commands on their way, and their results. Destructive commands are delayed by ten seconds so that they can be cancelled,
 * because the service cannot undo a death or a cure: a revived human gets a new tag code. Closing the page cancels them.
 */
import { signal } from "@preact/signals";
import { Check as Tick, TriangleAlert, Undo2, X } from "lucide";
import { isUndecided } from "../../state/api.ts";
import { errorText } from "../../state/errors.ts";
import { snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notifyChanged } from "../changes.ts";
import "./toasts.css";

/** The result of a command. A secret is shown until somebody closes it. */
export interface Outcome {
  text: string;
  secret?: string;
  /** The path of the page of what it has made, which opens if the dialog is still there. */
  page?: string;
}

/** A command that can be sent. */
export interface Sendable {
  title: string;
  /**
   * What it decides: the id of a dispute or of a mission, or the alias of a player whose state it is. Of two decisions on
   * the same the later counts, while the earlier one waits.
   */
  decides?: string | undefined;
  /** Executes the command. @param body the reason, if one was given @param key the idempotency key */
  run: (body: { reason?: string }, key: string) => Promise<Outcome>;
}

export const DELAY_SECONDS = 10;

interface Toast {
  key: string;
  /** What a command that waits decides. */
  decides?: string | undefined;
  text: string;
  kind: "waiting" | "done" | "failed";
  /** The seconds until a delayed command is sent. */
  secondsLeft: number;
  /** Sends it at once, or again with the same key. */
  send?: () => void;
}

const toasts = signal<readonly Toast[]>([]);

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

/** A secret that a command has returned, and the player who asked for it. */
interface Secret extends Outcome {
  viewer: string | undefined;
}

/** Secrets that nobody has closed yet: the service tells them once. */
export const secrets = signal<readonly Secret[]>([]);

/** Shows the result of a command, a secret also after the dialog of the command was closed. */
export const showOutcome = (done: Outcome, key?: string): void => {
  if (done.secret === undefined) showToast(done.text, key);
  else secrets.value = [...secrets.value, { ...done, viewer: snapshot.peek()?.player.player_id }];
};

/** Tells that a command has failed, and offers to send it again if that may help. */
export const showFailure = (
  command: Sendable,
  reason: { reason?: string },
  key: string,
  onSent: () => void,
  error: unknown,
): void => {
  const retry = (): void => void sendNow(command, reason, key, onSent);
  setToast({
    key,
    text: `${command.title}: ${errorText(error)}`,
    kind: "failed",
    secondsLeft: 0,
    // Begun anew it would have another key, and be carried out twice if only the response was lost.
    ...(isUndecided(error) ? { send: retry } : {}),
  });
};

const sendNow = async (
  command: Sendable,
  reason: { reason?: string },
  key: string,
  onSent: () => void = () => {},
): Promise<void> => {
  removeToast(key);
  try {
    showOutcome(await command.run(reason, key), key);
    onSent();
    notifyChanged();
  } catch (error) {
    showFailure(command, reason, key, onSent, error);
    notifyChanged(error);
  }
};

/** Takes back the other decisions on the same that wait. */
export const takeBackOthers = ({ decides }: Pick<Sendable, "decides">, key: string): void => {
  if (decides === undefined) return;
  toasts.value = toasts.value.filter(
    (one) => one.kind !== "waiting" || one.decides !== decides || one.key === key,
  );
};

/** The countdowns, by key. One that was taken back ends within a second, in which it may begin again. */
const countdowns = new Map<string, ReturnType<typeof setInterval>>();

/** Sends a command after ten seconds, in which it can be taken back. One that waits already stays as it is. */
export const sendLater = (
  command: Sendable,
  key: string,
  reason: { reason?: string } = {},
  onSent?: () => void,
): void => {
  if (toasts.value.some((one) => one.key === key && one.kind === "waiting")) return;
  takeBackOthers(command, key);
  const send = (): void => void sendNow(command, reason, key, onSent);
  const { title: text, decides } = command;
  setToast({ key, decides, text, kind: "waiting", secondsLeft: DELAY_SECONDS, send });
  clearInterval(countdowns.get(key));
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
  countdowns.set(key, timer);
};

addEventListener("beforeunload", (event) => {
  if (toasts.value.some(({ kind }) => kind === "waiting")) event.preventDefault();
});

const ICONS = { waiting: Undo2, done: Tick, failed: TriangleAlert };

export const Toasts = () => (
  <div class="toasts" aria-live="polite">
    {toasts.value.map(({ key, text, kind, secondsLeft, send }) => (
      <div key={key} class="toast" data-kind={kind}>
        <Icon of={ICONS[kind]} size={20} />
        <p>{kind === "waiting" ? gm.confirmation.waiting(text, secondsLeft) : text}</p>
        {kind === "waiting" ? (
          <>
            <Button text={gm.confirmation.takeBack} onClick={() => removeToast(key)} />
            <Button text={gm.confirmation.now} kind="quiet" onClick={send} />
          </>
        ) : (
          <>
            {send === undefined ? null : <Button text={en.common.retry} onClick={send} />}
            <Button text={gm.common.dismiss} icon={X} isIcon kind="quiet" onClick={() => removeToast(key)} />
          </>
        )}
      </div>
    ))}
  </div>
);
