/** Picks a photograph and crops it to a square. */
import { Camera } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  applyGesture,
  type Crop,
  centredCrop,
  cropToDataUrl,
  drawCrop,
  fitCrop,
  MAX_ZOOM,
  readPhotograph,
} from "../../state/picture.ts";
import { useSubmit } from "../../state/resource.ts";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { FaultNote } from "../feedback.tsx";
import { gestureKeyListener, useGestures } from "../gestures.ts";
import { Icon } from "../icon.tsx";
import { unreadableText } from "./photoFormat.ts";
import "./picturePicker.css";

/** The side of the preview canvas: two device pixels per CSS pixel on a phone. */
const CANVAS_SIDE = 640;
/** An arrow key pans by this fraction of the square. */
const PAN_STEP = 1 / 16;
/** A zoom key scales by this factor. */
const ZOOM_STEP = 1.15;

interface CropperProps {
  photograph: HTMLCanvasElement;
  onDone: (picture: string) => void;
  onClose: () => void;
}

const Cropper = ({ photograph, onDone, onClose }: CropperProps) => {
  const [crop, setCrop] = useState<Crop>(() => centredCrop(photograph));
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) drawCrop(photograph, crop, canvas.current);
  }, [photograph, crop]);
  const displayedSide = (): number => canvas.current?.clientWidth ?? CANVAS_SIDE;
  const gestures = useGestures(canvas, (gesture) =>
    setCrop((before) => applyGesture(photograph, before, displayedSide(), gesture)),
  );
  const applyKey = (x: number, y: number, factor = 1): void => {
    const [side, half] = [displayedSide(), displayedSide() / 2];
    const gesture = {
      move: { x: x * side * PAN_STEP, y: y * side * PAN_STEP },
      factor,
      origin: { x: half, y: half },
    };
    setCrop(applyGesture(photograph, crop, side, gesture));
  };
  return (
    <>
      <div
        class="cropper"
        role="application"
        aria-label={en.picture.stage}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the photograph
        tabIndex={0}
        onKeyDown={gestureKeyListener(
          // An arrow key moves the crop, so the photograph moves the other way.
          (x, y) => applyKey(-x, -y),
          (direction) => applyKey(0, 0, ZOOM_STEP ** direction),
        )}
      >
        <canvas ref={canvas} width={CANVAS_SIDE} height={CANVAS_SIDE} {...gestures} />
      </div>
      <label class="stack">
        <span class="label">{en.picture.zoom}</span>
        <input
          type="range"
          name="zoom"
          min="1"
          max={MAX_ZOOM}
          step="0.05"
          value={crop.zoom}
          aria-valuetext={`${Math.round(crop.zoom * 100)} %`}
          onInput={({ currentTarget }) =>
            setCrop(fitCrop(photograph, { ...crop, zoom: currentTarget.valueAsNumber }))
          }
        />
      </label>
      <Button text={en.picture.use} kind="primary" onClick={() => onDone(cropToDataUrl(photograph, crop))} />
      <Button text={en.me.cancel} kind="quiet" onClick={onClose} />
    </>
  );
};

/**
 * Sends pictures one after the other, so that the one that was chosen last stays.
 * @param send sends a data URL
 */
export const usePicture = (send: (picture: string) => Promise<void>) => {
  const chosen = useRef("");
  const { submit, ...state } = useSubmit(async () => {
    let picture: string;
    do {
      picture = chosen.current;
      try {
        await send(picture);
      } catch (error) {
        if (picture === chosen.current) throw error;
      }
    } while (picture !== chosen.current);
  });
  const put = (picture: string): void => {
    chosen.current = picture;
    void submit();
  };
  return { ...state, put };
};

interface PicturePickerProps {
  text: string;
  isBusy?: boolean;
  /** Called with a data URL. */
  onPicture: (picture: string) => void;
}

export const PicturePicker = ({ text, isBusy = false, onPicture }: PicturePickerProps) => {
  const [photograph, setPhotograph] = useState<HTMLCanvasElement | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  /** How many files were chosen. A large one may be decoded later than one that was chosen after it. */
  const turns = useRef(0);
  const close = (): void => setPhotograph(null);
  const choose = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file === undefined) return;
    turns.current += 1;
    const turn = turns.current;
    setFault(null);
    const read = await readPhotograph(file);
    const unreadable = read === null ? await unreadableText(file) : null;
    if (turn !== turns.current) return;
    setFault(unreadable);
    setPhotograph(read);
    // So that choosing the same file again fires a change event.
    input.value = "";
  };
  return (
    <>
      <label class="button" aria-busy={isBusy}>
        <Icon of={Camera} size={20} />
        {text}
        <input
          class="visually-hidden"
          type="file"
          accept="image/*"
          onChange={({ currentTarget }) => void choose(currentTarget)}
        />
      </label>
      {fault === null ? null : <FaultNote text={fault} />}
      <Dialog isOpen={photograph !== null} title={en.picture.title} onClose={close}>
        {photograph === null ? null : (
          <Cropper
            photograph={photograph}
            onClose={close}
            onDone={(picture) => {
              close();
              onPicture(picture);
            }}
          />
        )}
      </Dialog>
    </>
  );
};
