/** The button of a command. */
import type { IconNode } from "lucide";
import { useSubmit } from "../../state/resource.ts";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { type CommandAction, may } from "../calls.ts";
import { type Confirmation, openConfirmation } from "./confirmation.tsx";

type Confirm = Confirmation | (() => Confirmation);

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
  const preview = useSubmit(async () => {
    if ("preview" in props) openConfirmation(await props.preview());
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
