/** The button of a command. */
import type { IconNode } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { useSubmit } from "../../state/resource.ts";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { type CommandAction, may } from "../calls.ts";
import { type Confirm, openConfirmation, openPreview } from "./confirmation.tsx";

export type CommandButtonProps = {
  action: CommandAction;
  /** The text, if it is not that of the action. */
  text?: string;
  icon?: IconNode;
  /** Shows the icon alone. */
  isIcon?: boolean;
  kind?: "primary" | "quiet" | "danger";
  disabled?: boolean;
} & (
  | { confirmation: Confirm }
  | {
      /** Makes the confirmation of what it reads, such as the result of a dry run. */
      preview: () => Promise<Confirm>;
    }
);

/** Opens the dialog of a command. Not rendered for roles that may not use it. */
export const CommandButton = (props: CommandButtonProps) => {
  const { action, icon, isIcon = false, kind, disabled = false } = props;
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const preview = useSubmit(async () => {
    if ("preview" in props) await openPreview(props.preview, isGone);
  });
  if (!may(action)) return null;
  const text = props.text ?? gm.commands[action].button;
  return (
    <>
      <Button
        {...{ text, icon, isIcon, kind }}
        disabled={disabled || preview.isSending}
        onClick={() => {
          if ("confirmation" in props) openConfirmation(props.confirmation);
          else void preview.submit();
        }}
      />
      <ErrorNote error={preview.error} />
    </>
  );
};
