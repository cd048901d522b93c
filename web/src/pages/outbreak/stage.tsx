/** The picture of the outbreak in its frame: to pan, zoom and choose from, with fingers, a mouse or keys. */

import type { ReadonlySignal, Signal } from "@preact/signals";
import { useComputed, useSignal } from "@preact/signals";
import { Maximize, Minus, Plus } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { en } from "../../en.ts";
import { Icon } from "../../ui/icon.tsx";
import { CanvasScene } from "./canvasScene.tsx";
import type { Colouring } from "./colours.ts";
import { lineOf, type Picture, type Point, type Spot } from "./layout.ts";
import { SvgScene } from "./svgScene.tsx";
import { centred, fitted, labelled, type Size, spotAt, type View, zoomed } from "./view.ts";

/** A larger picture is drawn on a canvas. */
const MOST_ELEMENTS = 500;
const ZOOM = 1.4;
const PAN = 60;
const FLIGHT_MS = 450;
/** A finger that moves less has pressed. */
const PRESS = 6;

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

/** The size of an element, as it changes. */
const useSize = () => {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSignal<Size | null>(null);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      size.value = { width: current.clientWidth, height: current.clientHeight };
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [size]);
  return { frame, size };
};

/** Moves the view to another one. */
const flyTo = (view: Signal<View>, to: View): void => {
  if (isCalm.matches) {
    view.value = to;
    return;
  }
  const [from, begin] = [view.value, performance.now()];
  const step = (now: number): void => {
    const part = Math.min(1, (now - begin) / FLIGHT_MS);
    const eased = 1 - (1 - part) ** 3;
    const between = (one: number, other: number): number => one + (other - one) * eased;
    const next = { x: between(from.x, to.x), y: between(from.y, to.y), scale: between(from.scale, to.scale) };
    view.value = next;
    if (part < 1) requestAnimationFrame((at) => view.value === next && step(at));
  };
  requestAnimationFrame(step);
};

/** What fingers, the mouse and its wheel do. */
const useGestures = (
  frame: { current: HTMLDivElement | null },
  view: Signal<View>,
  least: () => number,
  press: (point: Point) => void,
) => {
  const fingers = useRef(new Map<number, Point>());
  const moved = useRef(0);
  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    return { x: clientX - left, y: clientY - top };
  };
  useEffect(() => {
    const { current } = frame;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      // A pinch on a touchpad arrives as small turns of the wheel with the control key.
      const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018));
      view.value = zoomed(view.value, factor, pointOf(event), least());
    };
    // A listener of JSX could not prevent the page from scrolling.
    current?.addEventListener("wheel", turn, { passive: false });
    return () => current?.removeEventListener("wheel", turn);
  }, []);
  const middle = (): Point => {
    const points = [...fingers.current.values()];
    const sum = points.reduce((one, { x, y }) => ({ x: one.x + x, y: one.y + y }), { x: 0, y: 0 });
    return { x: sum.x / points.length, y: sum.y / points.length };
  };
  const spread = (): number => {
    const [one, other] = [...fingers.current.values()];
    return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.y - other.y);
  };
  const end = (event: PointerEvent): void => {
    if (!fingers.current.delete(event.pointerId)) return;
    if (event.type === "pointerup" && fingers.current.size === 0 && moved.current < PRESS)
      press(pointOf(event));
  };
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      if (fingers.current.size === 0) moved.current = 0;
      fingers.current.set(event.pointerId, pointOf(event));
      frame.current?.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      if (!fingers.current.has(event.pointerId)) return;
      const [before, distance] = [middle(), spread()];
      fingers.current.set(event.pointerId, pointOf(event));
      const after = middle();
      const [x, y] = [after.x - before.x, after.y - before.y];
      moved.current += Math.hypot(x, y);
      const panned = { ...view.value, x: view.value.x + x, y: view.value.y + y };
      view.value = distance === 0 ? panned : zoomed(panned, spread() / distance, after, least());
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
};

interface StageProps {
  picture: Picture;
  shown: ReadonlySignal<number>;
  colouring: Colouring;
  own: ReadonlySet<Spot>;
  selected: Spot | null;
  onSelect: (spot: Spot | null) => void;
  children: ComponentChildren;
}

const NONE: ReadonlySet<Spot> = new Set();

export const Stage = ({ picture, shown, colouring, own, selected, onSelect, children }: StageProps) => {
  const { frame, size } = useSize();
  const view = useSignal<View>({ x: 0, y: 0, scale: 0 });
  const whole = (): View => fitted(picture, size.value ?? { width: 1, height: 1 });
  const least = (): number => Math.min(whole().scale, 1) * 0.6;
  const lit = useMemo(() => {
    const line = [...own].flatMap((spot) => [...lineOf(spot)]);
    return selected === null ? new Set(line) : lineOf(selected);
  }, [own, selected]);
  const byImportance = useMemo(() => {
    const weight = (spot: Spot): number =>
      (spot === selected ? 1e6 : 0) +
      (own.has(spot) ? 1e5 : 0) +
      (selected && lit.has(spot) ? 1e4 : 0) +
      spot.node.kills;
    return picture.spots.toSorted((one, other) => weight(other) - weight(one));
  }, [picture, own, lit, selected]);
  const importance = useSignal(byImportance);
  importance.value = byImportance;
  const labels = useComputed(() =>
    size.value === null ? [] : labelled(importance.value, shown.value, view.value, size.value),
  );
  const gestures = useGestures(frame, view, least, (point) =>
    onSelect(spotAt(picture.spots, shown.value, view.value, point)),
  );
  const { value: measured } = size;
  useEffect(() => {
    if (measured !== null) view.value = whole();
  }, [measured?.width, measured?.height, view]);
  useEffect(() => {
    if (selected === null || measured === null) return;
    // What is said of it covers the lower part.
    const above = { ...measured, height: measured.height * 0.7 };
    flyTo(view, centred(selected, Math.max(view.value.scale, 0.75), above));
  }, [selected, measured === null, view]);
  const zoom = (factor: number): void => {
    const { width, height } = measured ?? { width: 0, height: 0 };
    flyTo(view, zoomed(view.value, factor, { x: width / 2, y: height / 2 }, least()));
  };
  const pan = (x: number, y: number): void => {
    view.value = { ...view.value, x: view.value.x + x * PAN, y: view.value.y + y * PAN };
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => pan(1, 0),
    ArrowRight: () => pan(-1, 0),
    ArrowUp: () => pan(0, 1),
    ArrowDown: () => pan(0, -1),
    "+": () => zoom(ZOOM),
    "=": () => zoom(ZOOM),
    "-": () => zoom(1 / ZOOM),
    "0": () => flyTo(view, whole()),
    Escape: () => onSelect(null),
  };
  const scene = { picture, view, shown, labels, colouring, lit: lit ?? NONE, own, selected };
  const Scene = picture.spots.length > MOST_ELEMENTS ? CanvasScene : SvgScene;
  return (
    <div class="stage">
      <div
        ref={frame}
        class="stage-frame"
        role="application"
        aria-label={en.outbreak.stage}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the picture
        tabIndex={0}
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
        {...gestures}
      >
        <div aria-hidden="true">
          {measured === null ? null : <Scene {...scene} size={measured} isDimmed={selected !== null} />}
        </div>
      </div>
      <div class="stage-zoom">
        <button type="button" aria-label={en.outbreak.zoomIn} onClick={() => zoom(ZOOM)}>
          <Icon of={Plus} size={20} />
        </button>
        <button type="button" aria-label={en.outbreak.zoomOut} onClick={() => zoom(1 / ZOOM)}>
          <Icon of={Minus} size={20} />
        </button>
        <button type="button" aria-label={en.outbreak.fit} onClick={() => flyTo(view, whole())}>
          <Icon of={Maximize} size={20} />
        </button>
      </div>
      {children}
    </div>
  );
};
