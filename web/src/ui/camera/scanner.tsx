/** Scans QR codes with the camera. */
import { useEffect, useRef, useState } from "preact/hooks";
import { makeDecoder } from "../../state/scan.ts";
import { en } from "../../text/en.ts";
import "./scanner.css";

/** The pause between two decoded frames. */
const PAUSE_MS = 150;

interface ScannerProps {
  /** Called with the text of each code. Returns whether to accept it and stop scanning. */
  onFound: (text: string) => boolean;
}

const errorText = (error: unknown): string => {
  const name = error instanceof DOMException ? error.name : "";
  return name === "NotAllowedError" ? en.scan.denied : en.scan.missing;
};

/** Shows the rear camera. Unmounting stops the stream. */
export const Scanner = ({ onFound }: ScannerProps) => {
  const video = useRef<HTMLVideoElement>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const { current } = video;
    let stream: MediaStream | null = null;
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const scan = async (element: HTMLVideoElement): Promise<void> => {
      const camera = { video: { facingMode: "environment", width: { ideal: 1_280 } } };
      const [decode, opened] = await Promise.all([
        makeDecoder(),
        navigator.mediaDevices.getUserMedia(camera),
      ]);
      stream = opened;
      if (isStopped) return stop();
      element.srcObject = opened;
      await element.play();
      while (!isStopped) {
        const text = await decode(element);
        if (text !== null && !isStopped && onFound(text)) stop();
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    if (current !== null) scan(current).catch((cause: unknown) => isStopped || setError(cause));
    return stop;
  }, []);
  return error === null ? (
    <div class="scanner">
      <video ref={video} muted playsInline aria-label={en.scan.camera} />
    </div>
  ) : (
    <p role="alert">{errorText(error)}</p>
  );
};
