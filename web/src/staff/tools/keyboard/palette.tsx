/** The command palette: finds and runs the commands of the open page by keyboard. */
import { useState } from "preact/hooks";
import { textMatcher } from "../../../state/search.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";

export interface PageCommand {
  text: string;
  element: HTMLElement;
}

/** Returns the visible buttons of the page. Buttons with the same name are prefixed with their heading. */
export const commandsOnPage = (): PageCommand[] => {
  const found = document.querySelectorAll<HTMLElement>("main button:not(:disabled), main .actions > a");
  const shown = [...found].filter((element) => element.checkVisibility());
  const nameOf = (element: HTMLElement): string => element.ariaLabel ?? element.textContent.trim();
  const counts = Map.groupBy(shown, nameOf);
  return shown.map((element) => {
    const name = nameOf(element);
    const isAlone = counts.get(name)?.length === 1;
    const heading = element.closest("section, article, li")?.querySelector("h2, h3, strong, p")?.textContent;
    return { text: isAlone || !heading ? name : `${heading}: ${name}`, element };
  });
};

interface PaletteProps {
  commands: readonly PageCommand[];
  onChoose: (command: PageCommand) => void;
}

/** Typing filters the list, and Enter runs the first command. */
export const Palette = ({ commands, onChoose }: PaletteProps) => {
  const [text, setText] = useState("");
  const isMatch = textMatcher(text);
  const shown = commands.filter((one) => isMatch(one.text));
  const submit = (event: Event): void => {
    event.preventDefault();
    const [first] = shown;
    if (first !== undefined) onChoose(first);
  };
  return (
    <form class="stack" onSubmit={submit}>
      <h2>{gm.keys.commands}</h2>
      <Field label={gm.keys.command} name="command" value={text} onChange={setText} required={false} />
      {shown.length === 0 ? <Empty>{gm.keys.noCommand}</Empty> : null}
      <ul class="palette">
        {shown.map((one, at) => (
          <li key={at}>
            <Button text={one.text} kind="quiet" onClick={() => onChoose(one)} />
          </li>
        ))}
      </ul>
    </form>
  );
};
