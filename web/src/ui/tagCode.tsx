/** A human's tag code and QR code, visible while the button is held down. Works offline. */
import { QrCode } from "lucide";
import { useState } from "preact/hooks";
import { en } from "../en.ts";
import { Icon } from "./icon.tsx";
import { Qr } from "./qr.tsx";
import "./tagCode.css";

/** Formats a tag code in two groups, which are easier to read aloud. */
export const formatTagCode = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`;

export const TagCode = ({ code }: { code: string }) => {
  const [isShown, setShown] = useState(false);
  const show = (): void => setShown(true);
  const hide = (): void => setShown(false);
  return (
    <section class="card tag-code" data-state="human">
      <h2>{en.me.code}</h2>
      <p class="tag-code-text number" data-shown={isShown} aria-live="polite">
        {isShown ? formatTagCode(code) : "•••• ••••"}
      </p>
      {isShown ? <Qr text={code} label={en.me.qr} /> : null}
      <button
        type="button"
        class="button"
        data-kind="primary"
        aria-pressed={isShown}
        onPointerDown={show}
        onPointerUp={hide}
        onPointerLeave={hide}
        onPointerCancel={hide}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={({ key }) => (key === " " || key === "Enter") && show()}
        onKeyUp={hide}
        onBlur={hide}
      >
        <Icon of={QrCode} size={20} />
        {en.me.show}
      </button>
      <p class="muted">{en.me.shown}</p>
    </section>
  );
};
