/** The picture of the outbreak, with panning, zooming and selection by touch, mouse or keyboard. */
import type { ReadonlySignal, Signal } from "@preact/signals";
import { batch, useComputed, useSignal } from "@preact/signals";
import { Maximize, Minus, Plus } from "lucide";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { en } from "../../text/en.ts";
import { gestureKeyListener, useGestures } from "../../ui/gestures.ts";
import { Icon } from "../../ui/icon.tsx";
import { CanvasScene } from "./canvasScene.tsx";
import type { Colouring } from "./colours.ts";
import { lineageOf, type Picture, type Spot } from "./layout.ts";
import { SvgScene } from "./svgScene.tsx";
import { centreView, fitView, type Size, spotAt, type View, visibleLabels, zoomView } from "./view.ts";

/** Larger pictures are drawn on a canvas. */
const MAX_SVG_SPOTS = 500;
const ZOOM = 1.4;
const PAN = 60;
const ANIMATION_MS = 450;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates the view to another one, until something else changes it. */
const animateTo = (view: Signal<View>, to: View): void => {
  if (reducedMotion.matches) {
    view.value = to;
    return;
  }
  const [from, begin] = [view.value, performance.now()];
  const step = (now: number): void => {
    const part = Math.min(1, (now - begin) / ANIMATION_MS);
    const eased = 1 - (1 - part) ** 3;
    const between = (one: number, other: number): number => one + (other - one) * eased;
    const next = { x: between(from.x, to.x), y: between(from.y, to.y), scale: between(from.scale, to.scale) };
    view.value = next;
    if (part < 1) requestAnimationFrame((at) => view.value === next && step(at));
  };
  requestAnimationFrame(step);
};

interface StageProps {
  picture: Picture;
  visibleCount: ReadonlySignal<number>;
  colouring: Colouring;
  own: ReadonlySet<Spot>;
  selected: Spot | null;
  onSelect: (spot: Spot | null) => void;
  children: ComponentChildren;
}

export const Stage = ({
  picture,
  visibleCount,
  colouring,
  own,
  selected,
  onSelect,
  children,
}: StageProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSignal<Size | null>(null);
  const view = useSignal<View>({ x: 0, y: 0, scale: 0 });
  const fitAll = (): View => fitView(picture, size.value ?? { width: 1, height: 1 });
  const minScale = (): number => Math.min(fitAll().scale, 1) * 0.6;
  const isEmpty = picture.spots.length === 0;
  const latest = useRef(picture);
  latest.current = picture;
  // Not in an effect, which would run only after the picture has been drawn.
  useMemo(() => {
    if (size.peek() !== null) view.value = fitAll();
  }, [isEmpty]);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = current;
      batch(() => {
        size.value = { width, height };
        view.value = fitView(latest.current, { width, height });
      });
    };
    measure();
    const isSame = ({ width, height }: Size): boolean =>
      width === current.clientWidth && height === current.clientHeight;
    const observer = new ResizeObserver(() => {
      if (size.value === null || !isSame(size.value)) measure();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [size, view]);
  const highlighted = useMemo(() => {
    const line = [...own].flatMap((spot) => [...lineageOf(spot)]);
    return selected === null ? new Set(line) : lineageOf(selected);
  }, [own, selected]);
  const importance = useSignal<(spot: Spot) => number>(() => 0);
  importance.value = useCallback(
    (spot: Spot): number =>
      (spot === selected ? 1e6 : 0) +
      (own.has(spot) ? 1e5 : 0) +
      (selected && highlighted.has(spot) ? 1e4 : 0) +
      spot.node.kills,
    [own, highlighted, selected],
  );
  const labels = useComputed(() =>
    size.value === null
      ? []
      : visibleLabels(picture.spots, importance.value, visibleCount.value, view.value, size.value),
  );
  const gestures = useGestures(
    frame,
    ({ move, factor, origin }) => {
      const { x, y, scale } = view.value;
      view.value = zoomView({ x: x + move.x, y: y + move.y, scale }, factor, origin, minScale());
    },
    (point) => onSelect(spotAt(picture.spots, visibleCount.value, view.value, point)),
  );
  const { value: measured } = size;
  useEffect(() => {
    if (selected === null || measured === null) return;
    // The details panel covers the lower 30 %, so centre above it.
    const above = { ...measured, height: measured.height * 0.7 };
    animateTo(view, centreView(selected, Math.max(view.value.scale, 0.75), above));
  }, [selected, measured === null, view]);
  const zoom = (factor: number): void => {
    const { width, height } = measured ?? { width: 0, height: 0 };
    animateTo(view, zoomView(view.value, factor, { x: width / 2, y: height / 2 }, minScale()));
  };
  // An arrow key moves the viewport, so the picture moves the other way.
  const pan = (x: number, y: number): void => {
    view.value = { ...view.value, x: view.value.x - x * PAN, y: view.value.y - y * PAN };
  };
  const scene = { picture, view, visibleCount, labels, colouring, highlighted, own, selected };
  const Scene = picture.spots.length > MAX_SVG_SPOTS ? CanvasScene : SvgScene;
  return (
    <div class="stage">
      <div
        ref={frame}
        class="stage-frame"
        role="application"
        aria-label={en.outbreak.stage}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the picture
        tabIndex={0}
        onKeyDown={gestureKeyListener(pan, (direction) => zoom(ZOOM ** direction), {
          "0": () => animateTo(view, fitAll()),
          Escape: () => onSelect(null),
        })}
        {...gestures}
      >
        <div aria-hidden="true">
          {measured === null || isEmpty ? null : (
            <Scene {...scene} size={measured} isDimmed={selected !== null} />
          )}
        </div>
      </div>
      <div class="stage-zoom">
        <button type="button" aria-label={en.outbreak.zoomIn} onClick={() => zoom(ZOOM)}>
          <Icon of={Plus} size={20} />
        </button>
        <button type="button" aria-label={en.outbreak.zoomOut} onClick={() => zoom(1 / ZOOM)}>
          <Icon of={Minus} size={20} />
        </button>
        <button type="button" aria-label={en.outbreak.fit} onClick={() => animateTo(view, fitAll())}>
          <Icon of={Maximize} size={20} />
        </button>
      </div>
      {children}
    </div>
  );
};
