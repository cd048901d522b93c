/** The field for a tag code or the code of a slip, which can be typed, pasted or scanned. */
import { TAG_CODE_LENGTH } from "../../../../lib/domain/hunts/tagCode.ts";
import { type EnteredCode, REWARD_CODE_LENGTH, readCode } from "../../../../lib/domain/rewards/rewardCode.ts";
import { en } from "../../text/en.ts";
import { ScanButton } from "../../ui/camera/scanButton.tsx";

export type CodeKind = EnteredCode["kind"];

/** Returns what is typed or pasted as a code, in upper case; of an address, the code at its end. */
const normalizeCode = (text: string): string =>
  readCode(text)?.code ??
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .slice(0, REWARD_CODE_LENGTH);

/** Characters that codes do not use, because they are easily confused. */
const CONFUSABLE = /[01OIL]/;

/** What is wrong with a code before it is sent; `undefined` if nothing is, or it is not whole yet. */
const mistakeIn = (code: string, kinds: readonly CodeKind[]): string | undefined => {
  if (CONFUSABLE.test(code)) return undefined;
  const kind = readCode(code)?.kind;
  if (kind === undefined) return code.length === REWARD_CODE_LENGTH ? en.redeem.mistyped : undefined;
  // The first characters of a slip's code look like a tag code.
  return kinds.includes(kind) || kind === "tag" ? undefined : en.redeem.onlyTags;
};

const hintFor = (code: string, kinds: readonly CodeKind[]): string => {
  if (CONFUSABLE.test(code)) return en.tag.confusable;
  const kind = readCode(code)?.kind;
  if (kind !== undefined && kinds.includes(kind)) return en.redeem.kinds[kind];
  if (!kinds.includes("tag")) return code.length === TAG_CODE_LENGTH ? en.redeem.notTags : en.redeem.hint;
  return kinds.includes("reward") ? en.redeem.eitherHint : en.tag.codeHint;
};

interface CodeBoxesProps {
  code: string;
  kinds: readonly CodeKind[];
  error: string | undefined;
  onChange: (code: string) => void;
}

export const CodeBoxes = ({ code, kinds, error: refusal, onChange }: CodeBoxesProps) => {
  const moveCaretToEnd = ({ currentTarget: input }: { currentTarget: HTMLInputElement }): void =>
    input.setSelectionRange(input.value.length, input.value.length);
  const error = refusal ?? mistakeIn(code, kinds);
  const length =
    kinds.includes("tag") && code.length <= TAG_CODE_LENGTH ? TAG_CODE_LENGTH : REWARD_CODE_LENGTH;
  return (
    <label class="code-boxes" data-invalid={error !== undefined} data-length={length}>
      <span class="label">{kinds.length > 1 ? en.redeem.either : en.redeem.labels[kinds[0] ?? "tag"]}</span>
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
        {Array.from({ length }, (_, at) => (
          <span key={at} data-current={at === code.length}>
            {code[at] ?? ""}
          </span>
        ))}
      </span>
      <span id="code-hint" class={error === undefined ? "muted" : "code-error"} aria-live="assertive">
        {error ?? hintFor(code, kinds)}
      </span>
    </label>
  );
};

export const ScanCode = ({ onCode }: { onCode: (code: string) => void }) => {
  const found = (text: string): boolean => {
    const entered = readCode(text);
    if (entered !== null) onCode(entered.code);
    return entered !== null;
  };
  return <ScanButton onFound={found} />;
};
