/** A human's tag code and QR code, visible while the button is held down. Works offline. */
import { QrCode } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { snapshot } from "../state/session.ts";
import { en } from "../text/en.ts";
import { Button } from "./button.tsx";
import { prepareQr, Qr } from "./camera/qr.tsx";
import { Crowd } from "./crowd.tsx";
import "./tagCode.css";

/** Formats a code in two groups, which are easier to read aloud. */
export const formatCode = (code: string): string =>
  `${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}`;

export const TagCode = ({ code }: { code: string }) => {
  const [isHeld, setHeld] = useState(false);
  /** For those who cannot hold a button, until they hide it or leave the page. */
  const [isKept, setKept] = useState(false);
  useEffect(() => void prepareQr().catch(() => {}), []);
  useEffect(() => {
    const hide = (): void => setKept(false);
    document.addEventListener("visibilitychange", hide);
    return () => document.removeEventListener("visibilitychange", hide);
  }, []);
  const isShown = isHeld || isKept;
  const show = (): void => setHeld(true);
  const release = (): void => setHeld(false);
  return (
    <section class="tag-code" data-state="human">
      {/* Its place is kept free, so that the button does not move away from the finger that holds it. */}
      <div class="tag-code-qr">
        {isShown ? (
          <Qr text={code} label={en.me.qr} />
        ) : (
          <Crowd counts={snapshot.value?.game.counts} own="human" />
        )}
      </div>
      <h2>{en.me.code}</h2>
      <p class="tag-code-text number" data-shown={isShown} aria-live="polite">
        {isShown ? formatCode(code) : "•••• ••••"}
      </p>
      <p>{en.me.shown}</p>
      <div class="tag-code-buttons">
        <Button
          text={en.me.show}
          icon={QrCode}
          kind="primary"
          aria-pressed={isHeld}
          onPointerDown={({ button, currentTarget, pointerId }) => {
            if (button !== 0) return;
            // It is held until the pointer is up, wherever that is.
            currentTarget.setPointerCapture(pointerId);
            show();
          }}
          onLostPointerCapture={release}
          onContextMenu={(event) => event.preventDefault()}
          onKeyDown={({ key }) => (key === " " || key === "Enter") && show()}
          onKeyUp={release}
          onBlur={release}
        />
        <Button
          text={isKept ? en.me.hideCode : en.me.keepCode}
          kind="text"
          aria-pressed={isKept}
          onClick={() => setKept(!isKept)}
        />
      </div>
    </section>
  );
};
