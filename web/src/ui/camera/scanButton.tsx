/** A button that opens a dialog to scan one QR code. */
import { ScanLine } from "lucide";
import { useState } from "preact/hooks";
import { en } from "../../text/en.ts";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { Scanner } from "./scanner.tsx";

interface ScanButtonProps {
  /** Called with the text of each code. Returns whether to accept it and close the dialog. */
  onFound: (text: string) => boolean;
}

export const ScanButton = ({ onFound }: ScanButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const onText = (text: string): boolean => {
    const isRight = onFound(text);
    if (isRight) close();
    return isRight;
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon of={ScanLine} size={20} />
        {en.scan.open}
      </button>
      <Dialog isOpen={isOpen} title={en.scan.title} onClose={close}>
        <Scanner onFound={onText} />
        <button type="button" class="button" onClick={close}>
          {en.me.cancel}
        </button>
      </Dialog>
    </>
  );
};
