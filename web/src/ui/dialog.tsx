/** A modal dialog. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import "./dialog.css";

interface DialogProps {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** Mounts its children only while it is open. */
export const Dialog = ({ isOpen, title, onClose, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={ref} class="dialog card" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {isOpen ? children : null}
    </dialog>
  );
};
