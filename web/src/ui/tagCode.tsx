/** A human's tag code, hidden until it is held, with its QR code. It needs no network. */
import { generate } from "lean-qr";
import { QrCode } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { en } from "../en.ts";
import { Icon } from "./icon.tsx";
import "./tagCode.css";

/** A tag code in two groups, which are easier to read aloud. */
const grouped = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`;

const Qr = ({ text }: { text: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) generate(text).toCanvas(canvas.current);
  }, [text]);
  return <canvas ref={canvas} class="qr" role="img" aria-label={en.me.qr} />;
};

export const TagCode = ({ code }: { code: string }) => {
  const [isShown, setShown] = useState(false);
  const show = (): void => setShown(true);
  const hide = (): void => setShown(false);
  return (
    <section class="card tag-code" data-state="human">
      <h2>{en.me.code}</h2>
      <p class="tag-code-text number" data-shown={isShown} aria-live="polite">
        {isShown ? grouped(code) : "•••• ••••"}
      </p>
      {isShown ? <Qr text={code} /> : null}
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
