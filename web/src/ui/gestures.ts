/** Pan, zoom and tap gestures by touch, mouse, wheel, touchpad or keyboard. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Gesture, Point } from "../state/picture.ts";

/** A pointer that moves less than this counts as a tap, in pixels. */
const TAP_TOLERANCE = 6;

/**
 * Reports gestures on an element. Registers the wheel listener itself.
 * @returns the pointer listeners, to be spread onto the element
 */
export const useGestures = (
  frame: RefObject<HTMLElement | null>,
  onGesture: (gesture: Gesture) => void,
  onTap: (point: Point) => void = () => {},
) => {
  const pointers = useRef(new Map<number, Point>());
  const distanceMoved = useRef(0);
  const latest = useRef(onGesture);
  latest.current = onGesture;
  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    return { x: clientX - left, y: clientY - top };
  };
  useEffect(() => {
    const { current } = frame;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      // Browsers report a pinch on a touchpad as small wheel deltas with the Ctrl key.
      const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018));
      latest.current({ move: { x: 0, y: 0 }, factor, origin: pointOf(event) });
    };
    // `preventDefault` needs a non-passive listener, which JSX cannot register.
    current?.addEventListener("wheel", onWheel, { passive: false });
    return () => current?.removeEventListener("wheel", onWheel);
  }, []);
  const centre = (): Point => {
    const points = [...pointers.current.values()];
    const sum = points.reduce((one, { x, y }) => ({ x: one.x + x, y: one.y + y }), { x: 0, y: 0 });
    return { x: sum.x / points.length, y: sum.y / points.length };
  };
  const spread = (): number => {
    const [one, other] = [...pointers.current.values()];
    return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.y - other.y);
  };
  const onPointerEnd = (event: PointerEvent): void => {
    if (!pointers.current.delete(event.pointerId)) return;
    if (event.type === "pointerup" && pointers.current.size === 0 && distanceMoved.current < TAP_TOLERANCE)
      onTap(pointOf(event));
  };
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      if (pointers.current.size === 0) distanceMoved.current = 0;
      pointers.current.set(event.pointerId, pointOf(event));
      frame.current?.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      if (!pointers.current.has(event.pointerId)) return;
      const [before, distance] = [centre(), spread()];
      pointers.current.set(event.pointerId, pointOf(event));
      const origin = centre();
      const move = { x: origin.x - before.x, y: origin.y - before.y };
      distanceMoved.current += Math.hypot(move.x, move.y);
      onGesture({ move, factor: distance === 0 ? 1 : spread() / distance, origin });
    },
    onPointerUp: onPointerEnd,
    onPointerCancel: onPointerEnd,
  };
};

/**
 * Returns a `keydown` listener for panning and zooming.
 * @param pan called with the direction of an arrow key, such as -1 and 0 for the left
 * @param zoom called with 1 for `+` or `=` and with -1 for `-`
 * @param otherKeys actions of further keys, by `KeyboardEvent.key`
 */
export const gestureKeyListener = (
  pan: (x: number, y: number) => void,
  zoom: (direction: 1 | -1) => void,
  otherKeys: Readonly<Record<string, () => void>> = {},
) => {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(-1, 0),
    ArrowRight: () => pan(1, 0),
    ArrowUp: () => pan(0, -1),
    ArrowDown: () => pan(0, 1),
    "+": () => zoom(1),
    "=": () => zoom(1),
    "-": () => zoom(-1),
    ...otherKeys,
  };
  return (event: KeyboardEvent): void => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
};
