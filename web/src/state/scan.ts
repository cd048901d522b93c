/** Decodes QR codes from a video, with the browser's `BarcodeDetector` or else with a JavaScript decoder. */

export type Decode = (video: HTMLVideoElement) => Promise<string | null>;

interface Detector {
  detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
}

const nativeDecoder = async (): Promise<Decode | null> => {
  const { BarcodeDetector }: { BarcodeDetector?: DetectorClass } = window as object;
  const formats = await BarcodeDetector?.getSupportedFormats().catch((): string[] => []);
  if (BarcodeDetector === undefined || formats?.includes("qr_code") !== true) return null;
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  return async (video) => (await detector.detect(video))[0]?.rawValue ?? null;
};

/** Video frames are scaled down to this longer side before they are decoded, in pixels. */
const MAX_SIDE = 640;

const scriptDecoder = async (): Promise<Decode> => {
  const { decodeQR } = await import("qr/decode.js");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    const scale = Math.min(1, MAX_SIDE / Math.max(video.videoWidth, video.videoHeight, 1));
    const [width, height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
    if (context === null || width === 0) return null;
    [canvas.width, canvas.height] = [width, height];
    context.drawImage(video, 0, 0, width, height);
    try {
      return decodeQR(context.getImageData(0, 0, width, height));
    } catch {
      // There is no code in this frame.
      return null;
    }
  };
};

export const makeDecoder = async (): Promise<Decode> => (await nativeDecoder()) ?? scriptDecoder();
