/** A QR code. */
import { generate } from "lean-qr";
import { useEffect, useRef } from "preact/hooks";
import "./qr.css";

export const Qr = ({ text, label }: { text: string; label: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) generate(text).toCanvas(canvas.current);
  }, [text]);
  return <canvas ref={canvas} class="qr" role="img" aria-label={label} />;
};
