/** The field for a tag code, which can be typed, pasted or scanned. */
import { en } from "../../text/en.ts";
import { ScanButton } from "../../ui/camera/scanButton.tsx";

export const CODE_LENGTH = 8;
/** Returns the letters and digits of a typed or pasted code, in upper case. */
const normalizeCode = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .slice(0, CODE_LENGTH);

/** Returns the tag code in the text of a QR code, or `null`. */
const parseScannedCode = (text: string): string | null => {
  const code = normalizeCode(text);
  return text.trim().length <= CODE_LENGTH + 2 && code.length === CODE_LENGTH ? code : null;
};

/** Characters that tag codes do not use, because they are easily confused. */
const CONFUSABLE = /[01OIL]/;

interface CodeBoxesProps {
  code: string;
  error: string | undefined;
  onChange: (code: string) => void;
}

export const CodeBoxes = ({ code, error, onChange }: CodeBoxesProps) => {
  const moveCaretToEnd = ({ currentTarget: input }: { currentTarget: HTMLInputElement }): void =>
    input.setSelectionRange(input.value.length, input.value.length);
  return (
    <label class="code-boxes" data-invalid={error !== undefined}>
      <span class="label">{en.tag.code}</span>
      <input
        name="tag_code"
        value={code}
        autocomplete="off"
        autocapitalize="characters"
        enterkeyhint="done"
        spellcheck={false}
        aria-describedby="code-hint"
        aria-invalid={error !== undefined}
        // The caret is invisible, so it is kept at the end.
        onFocus={moveCaretToEnd}
        onClick={moveCaretToEnd}
        onInput={(event) => {
          const next = normalizeCode(event.currentTarget.value);
          event.currentTarget.value = next;
          onChange(next);
        }}
      />
      <span class="boxes" aria-hidden="true">
        {Array.from({ length: CODE_LENGTH }, (_, at) => (
          <span key={at} data-current={at === code.length}>
            {code[at] ?? ""}
          </span>
        ))}
      </span>
      <span id="code-hint" class={error === undefined ? "muted" : "code-error"} aria-live="assertive">
        {error ?? (CONFUSABLE.test(code) ? en.tag.confusable : en.tag.codeHint)}
      </span>
    </label>
  );
};

export const ScanCode = ({ onCode }: { onCode: (code: string) => void }) => {
  const found = (text: string): boolean => {
    const code = parseScannedCode(text);
    if (code !== null) onCode(code);
    return code !== null;
  };
  return <ScanButton onFound={found} />;
};
