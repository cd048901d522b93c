/** Modal dialogs. */
import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
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

/** Whether the whole of an element is inside the visible part of its dialog. */
const isSeen = (element: Element, dialog: Element): boolean => {
  const [inner, outer] = [element.getBoundingClientRect(), dialog.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
};

/** Whether the last input was a key rather than a mouse or a finger. */
let isByKey = false;
for (const type of ["keydown", "pointerdown"])
  addEventListener(
    type,
    () => {
      isByKey = type === "keydown";
    },
    { capture: true },
  );

/**
 * Opens a dialog at its top: browsers scroll to the first field, which in a long dialog hides what it is about. Then the
 * heading gets the focus; also after a touch, because the keyboard of the screen would cover the rest.
 */
const openAtTop = (dialog: HTMLDialogElement): void => {
  dialog.showModal();
  dialog.scrollTop = 0;
  const focused = document.activeElement;
  const isTouched = !isByKey && matchMedia("(pointer: coarse)").matches;
  if (!isTouched && focused !== null && isSeen(focused, dialog)) return;
  const heading = dialog.querySelector("h2");
  if (heading !== null) heading.tabIndex = -1;
  heading?.focus({ preventScroll: true });
};

/**
 * Shows a `<dialog>` while `isOpen`. Only `cancel` (Escape, or the back gesture) is handled: `close` comes later, when
 * the dialog may be open again.
 * @returns properties of the element
 */
export const useModal = (isOpen: boolean, onClose: () => void): ModalProps => {
  const ref = useRef<HTMLDialogElement>(null);
  // With its content, so that nothing is drawn in between.
  useLayoutEffect(() => {
    const { current } = ref;
    if (isOpen && current !== null) openAtTop(current);
    else current?.close();
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
