/** The dialog of a command, which lists its effects and asks for a reason. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useDraft } from "../../state/draft.ts";
import { useSubmit } from "../../state/resource.ts";
import { snapshot } from "../../state/session.ts";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { useModal } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { type CommandAction, may } from "../calls.ts";
import { notifyChanged } from "../changes.ts";
import { COMMANDS } from "../commands.ts";
import { Reason } from "./inputs.tsx";
import {
  DELAY_SECONDS,
  type Sendable,
  secrets,
  sendLater,
  showFailure,
  showOutcome,
  Toasts,
  takeBackOthers,
} from "./toasts.tsx";
import "./confirmation.css";

/** A command that waits for confirmation. Its role, its reason and its delay are those of its action. */
export interface Confirmation extends Sendable {
  action: CommandAction;
  /** What the command will do, one sentence per line. */
  effects: readonly string[];
  /** The text of the button, if it is not that of the action. */
  submit?: string;
  /** Whether it waits for ten seconds, if that depends on the form. */
  isDelayed?: boolean;
  /** Additional form fields. */
  fields?: ComponentChildren;
  /** A second way on, which sends nothing. @returns whether the dialog closes */
  other?: { text: string; run: () => boolean };
  /** What is typed into the fields, which is forgotten when the command is sent or cancelled. */
  drafts?: readonly { isRestored: Signal<boolean>; clear: () => void }[];
  /** The fields that errors are about, by the code of the error. */
  fieldsOfCodes?: Readonly<Record<string, string>>;
  /** Whether the form can be submitted; by default it can. */
  isReady?: () => boolean;
}

const openedConfirmation = signal<(() => Confirmation) | null>(null);

/** A function may read signals, so that the dialog updates with its own fields. */
export type Confirm = Confirmation | (() => Confirmation);

/** The number of the latest command that was pressed. */
let latest = 0;

/** Opens the dialog. */
export const openConfirmation = (confirmation: Confirm): void => {
  latest += 1;
  openedConfirmation.value = typeof confirmation === "function" ? confirmation : () => confirmation;
};

/** Opens the dialog of what is read first, unless another command was pressed, or the page left, meanwhile. */
export const openPreview = async (
  preview: () => Promise<Confirm>,
  isGone: { readonly current: boolean },
): Promise<void> => {
  latest += 1;
  const turn = latest;
  const confirmation = await preview();
  if (turn === latest && !isGone.current) openConfirmation(confirmation);
};

const Form = ({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) => {
  const typed = useDraft(`reason:${confirmation.title}`, "");
  const { value: reason, set: setReason } = typed;
  const { drafts = [] } = confirmation;
  const { route } = useLocation();
  const forget = (): void => {
    for (const draft of [typed, ...drafts]) draft.clear();
  };
  const key = useRef(crypto.randomUUID());
  const { waits, reason: asked } = COMMANDS[confirmation.action];
  const isDelayed = confirmation.isDelayed ?? waits === true;
  const isRequired = asked === "required and shown";
  const given: { reason?: string } = reason.trim() === "" ? {} : { reason: reason.trim() };
  const form = useSubmit(async () => {
    if (isDelayed) {
      sendLater(confirmation, key.current, given, forget);
      onClose();
      return;
    }
    takeBackOthers(confirmation, key.current);
    const opened = openedConfirmation.peek();
    /** Whether this dialog is closed by now, and perhaps another one open. */
    const isLeft = (): boolean => openedConfirmation.peek() !== opened;
    try {
      const done = await confirmation.run(given, key.current);
      forget();
      notifyChanged();
      if (!isLeft()) {
        onClose();
        if (done.page !== undefined) route(done.page);
      }
      showOutcome(done);
    } catch (error) {
      if (isLeft()) showFailure(confirmation, given, key.current, forget, error);
      notifyChanged(error);
      throw error;
    }
  }, confirmation.fieldsOfCodes);
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
        {asked === "none" ? null : (
          <Reason
            value={reason}
            onChange={setReason}
            required={isRequired}
            isShown={asked !== "for the log"}
          />
        )}
      </FormErrors.Provider>
      <FormError error={form.error} />
      {isDelayed ? <p class="field-note">{gm.confirmation.delay(DELAY_SECONDS)}</p> : null}
      <div class="decide">
        <Button
          text={confirmation.submit ?? gm.commands[confirmation.action].button}
          kind={isDelayed ? "danger" : "primary"}
          type="submit"
          disabled={
            form.isSending || confirmation.isReady?.() === false || (isRequired && given.reason === undefined)
          }
        />
        {confirmation.other === undefined ? null : (
          <Button
            text={confirmation.other.text}
            onClick={() => {
              form.clear();
              if (confirmation.other?.run() === true) onClose();
            }}
          />
        )}
        <Button
          text={gm.common.cancel}
          kind="quiet"
          onClick={() => {
            forget();
            onClose();
          }}
        />
      </div>
    </form>
  );
};

const ConfirmDialog = () => {
  const confirmation = openedConfirmation.value?.();
  const close = (): void => {
    openedConfirmation.value = null;
  };
  const { path } = useLocation();
  // Its command belongs to the page that is left.
  useEffect(() => close, [path]);
  const modal = useModal(confirmation !== undefined && may(confirmation.action), close);
  return (
    <dialog {...modal} class="card confirmation" aria-label={confirmation?.title}>
      {confirmation === undefined ? null : <Form confirmation={confirmation} onClose={close} />}
    </dialog>
  );
};

/** The secrets, one after the other. They have a dialog of their own, because that of their command may be closed by now. */
const SecretDialog = () => {
  const viewer = snapshot.value?.player.player_id;
  const secret = secrets.value.find((one) => one.viewer === viewer);
  const close = (): void => {
    secrets.value = secrets.value.filter((one) => one !== secret);
  };
  const modal = useModal(secret !== undefined, close);
  return (
    <dialog {...modal} class="card confirmation" aria-label={secret?.text}>
      {secret === undefined ? null : (
        <div class="stack">
          <h2>{secret.text}</h2>
          <p class="secret number">{secret.secret}</p>
          <Button text={gm.common.close} kind="primary" onClick={close} />
        </div>
      )}
    </dialog>
  );
};

/** The dialogs and the toasts, mounted once for all game masters' pages. */
export const Confirmations = () => (
  <>
    <ConfirmDialog />
    <SecretDialog />
    <Toasts />
  </>
);
