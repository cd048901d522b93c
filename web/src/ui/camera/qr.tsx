/** A QR code. What draws it is loaded on first use. */
import { useEffect, useRef } from "preact/hooks";
import "./qr.css";

/** Loads what draws QR codes, before one is shown. */
export const prepareQr = () => import("lean-qr");

export const Qr = ({ text, label }: { text: string; label: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    prepareQr().then(
      ({ generate }) => canvas.current && generate(text).toCanvas(canvas.current),
      // Beside each code stands what it says.
      () => {},
    );
  }, [text]);
  return <canvas ref={canvas} class="qr" role="img" aria-label={label} />;
};
