/** A button that opens a dialog to scan one QR code. */
import { ScanLine } from "lucide";
import { useState } from "preact/hooks";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
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
      <Button text={en.scan.open} icon={ScanLine} onClick={() => setOpen(true)} />
      <Dialog isOpen={isOpen} title={en.scan.title} onClose={close}>
        <Scanner onFound={onText} />
        <Button text={en.me.cancel} onClick={close} />
      </Dialog>
    </>
  );
};
