/** Modal dialogs. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import "./dialog.css";

interface DialogProps {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

interface ModalProps {
  ref: RefObject<HTMLDialogElement | null>;
  onCancel: (event: Event) => void;
}

/**
 * Shows a `<dialog>` while `isOpen`. Only `cancel` (Escape, or the back gesture) is handled: `close` comes later, when
 * the dialog may be open again.
 * @returns properties of the element
 */
export const useModal = (isOpen: boolean, onClose: () => void): ModalProps => {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  const onCancel = ({ target }: Event): void => {
    // A file input inside the dialog fires `cancel`, too.
    if (target === ref.current) onClose();
  };
  return { ref, onCancel };
};

/** Mounts its children only while it is open. */
export const Dialog = ({ isOpen, title, onClose, children }: DialogProps) => {
  const modal = useModal(isOpen, onClose);
  const id = useId();
  return (
    <dialog {...modal} class="dialog card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {isOpen ? children : null}
    </dialog>
  );
};
