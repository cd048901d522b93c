/** Keyboard shortcuts: `/` finds, `g` and a letter opens a page, `.` lists the commands of a page, `?` lists the shortcuts. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { useModal } from "../../../ui/dialog.tsx";
import { commandsOnPage, type PageCommand, Palette } from "./palette.tsx";
import "./shortcuts.css";

export interface Shortcut {
  letter: string;
  text: string;
  path: string;
}

const PREFIX = "g";
/** The longest pause between the prefix and its letter. */
const PREFIX_MS = 1_500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, dialog[open]") !== null;

const focusSearch = (): boolean => {
  const input = document.querySelector<HTMLInputElement>("search input");
  input?.focus();
  input?.select();
  return input !== null;
};

export const Shortcuts = ({ pages }: { pages: readonly Shortcut[] }) => {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const [commands, setCommands] = useState<readonly PageCommand[] | null>(null);
  const palette = useModal(commands !== null, () => setCommands(null));
  const choose = ({ element }: PageCommand): void => {
    // Close the palette first, because the command may open a dialog.
    palette.ref.current?.close();
    setCommands(null);
    element.focus();
    element.click();
  };
  const prefixedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isPrefixed = event.timeStamp - prefixedAt.current < PREFIX_MS;
      prefixedAt.current = event.key === PREFIX ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = isPrefixed ? pages.find(({ letter }) => letter === event.key) : undefined;
      if (page !== undefined) route(page.path);
      else if (event.key === "/") {
        if (!focusSearch()) route(`${paths.gm.find}?focus`);
      } else if (event.key === ".") setCommands(commandsOnPage());
      else if (event.key === "?") dialog.current?.showModal();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [pages, route]);
  return (
    <>
      <dialog {...palette} class="card confirmation" aria-label={gm.keys.commands}>
        {commands === null ? null : <Palette commands={commands} onChoose={choose} />}
      </dialog>
      <dialog ref={dialog} class="card confirmation" aria-label={gm.nav.keys}>
        <div class="stack">
          <h2>{gm.nav.keys}</h2>
          <dl class="keys">
            {[
              ["/", gm.keys.find],
              ...pages.map(({ letter, text }) => [`${PREFIX} ${letter}`, text] as const),
              [".", gm.keys.commands],
              ["Enter", gm.keys.enter],
              ["Esc", gm.keys.escape],
              ["?", gm.keys.list],
            ].map(([keys = "", text]) => (
              <div key={keys}>
                <dt>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <Button text={gm.common.close} onClick={() => dialog.current?.close()} />
        </div>
      </dialog>
    </>
  );
};
