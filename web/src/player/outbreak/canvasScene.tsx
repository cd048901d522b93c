/** The canvas renderer, for large outbreaks. */
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadAgain } from "../../state/brokenPictures.ts";
import { dayText } from "../../text/times.ts";
import { type Colouring, palette } from "./colours.ts";
import { controlPoints, type Picture, type Spot } from "./layout.ts";
import { initialOf, kindOf, type SceneProps } from "./scene.ts";
import { LABEL_SIZE, labelOf } from "./view.ts";

const DIMMED_ALPHA = 0.16;
/** Spots with a smaller radius on the screen have no picture and no initial. */
const MIN_FACE_SIZE = 8;

const FONT = "ui-sans-serif, system-ui, sans-serif";

/** At most 2: a higher resolution makes no visible difference, and is slow. */
const pixelRatio = (): number => Math.min(2, devicePixelRatio);

const DARK = matchMedia("(prefers-color-scheme: dark)");

const useDark = (): boolean => {
  const [isDark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const change = (): void => setDark(DARK.matches);
    DARK.addEventListener("change", change);
    return () => DARK.removeEventListener("change", change);
  }, []);
  return isDark;
};

interface Brush {
  colour: string;
  spots: Spot[];
}

/** Groups the spots by colour. */
const brushesOf = (picture: Picture, colouring: Colouring, isDark: boolean): Brush[] => {
  const colourOf = palette(colouring, picture.maxGeneration);
  const brushes = new Map<number, Brush>();
  for (const spot of picture.spots) {
    const { key, light, dark } = colourOf(spot);
    let brush = brushes.get(key);
    if (brush === undefined) {
      brush = { colour: isDark ? dark : light, spots: [] };
      brushes.set(key, brush);
    }
    brush.spots.push(spot);
  }
  return [...brushes.values()];
};

/** Players' pictures by URL, which are loaded when they are first drawn large enough. */
const faces = new Map<string, HTMLImageElement>();

const faceOf = ({ node: { picture_url } }: Spot, onLoad: () => void): HTMLImageElement | null => {
  if (picture_url === null) return null;
  const known = faces.get(picture_url);
  if (known !== undefined) return known.complete && known.naturalWidth > 0 ? known : null;
  const face = new Image();
  face.onload = onLoad;
  face.onerror = () => loadAgain(face);
  face.src = picture_url;
  faces.set(picture_url, face);
  return null;
};

/** Shared by the drawing functions. */
interface DrawContext {
  context: CanvasRenderingContext2D;
  props: SceneProps;
  brushes: readonly Brush[];
  /** The number of infections that the replay shows. */
  count: number;
  isVisible: (spot: Spot) => boolean;
  isDim: (spot: Spot) => boolean;
}

/** Reads the theme colours, which outbreak.css sets on properties of the canvas that have no visible effect. */
const coloursOf = (element: Element) => {
  const {
    color: ink,
    caretColor: ground,
    outlineColor: muted,
    borderTopColor: line,
  } = getComputedStyle(element);
  return { ink, ground, muted, line };
};

const circle = (context: CanvasRenderingContext2D, x: number, y: number, radius: number): void => {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
};

/** Links that are shorter on the screen are drawn straight. */
const MIN_CURVED_LENGTH = 20;

const drawLinks = ({ context, props, brushes, count, isVisible }: DrawContext): void => {
  const { picture, highlighted, isDimmed } = props;
  const minCurvedLength = MIN_CURVED_LENGTH / props.view.value.scale;
  const trace = (spots: readonly Spot[], alpha: number, width: number): void => {
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.beginPath();
    for (const spot of spots) {
      const { parent } = spot;
      if (parent === null || spot.order >= count || (!isVisible(spot) && !isVisible(parent))) continue;
      context.moveTo(parent.x, parent.y);
      if (Math.abs(spot.x - parent.x) + Math.abs(spot.y - parent.y) < minCurvedLength) {
        context.lineTo(spot.x, spot.y);
        continue;
      }
      const [one, other] = controlPoints(spot, parent, picture.radius);
      context.bezierCurveTo(one.x, one.y, other.x, other.y, spot.x, spot.y);
    }
    context.stroke();
  };
  // Browsers draw lines of at most one device pixel many times faster than wider ones.
  const width = Math.max(1.6, Math.min(0.7, 1 / pixelRatio()) / props.view.value.scale);
  for (const { colour, spots } of brushes) {
    context.strokeStyle = colour;
    trace(spots, isDimmed ? DIMMED_ALPHA * 0.6 : 0.42, width);
    const highlightedSpots = spots.filter((spot) => highlighted.has(spot));
    if (highlightedSpots.length > 0) trace(highlightedSpots, 1, width * 2.2);
  }
};

/** Spots with a smaller radius on the screen are drawn as squares, which look the same and are faster. */
const MIN_CIRCLE_RADIUS = 1.75;

/** The number of latest infections that the replay enlarges. */
const RECENT_COUNT = 12;

const drawSpots = ({ context, props, brushes, count, isVisible, isDim }: DrawContext): void => {
  const { scale } = props.view.value;
  const isReplay = count < props.picture.spots.length;
  for (const { colour, spots } of brushes) {
    context.fillStyle = colour;
    for (const dim of props.isDimmed ? [true, false] : [false]) {
      context.globalAlpha = dim ? DIMMED_ALPHA : 1;
      context.beginPath();
      for (const spot of spots) {
        if (spot.order >= count || isDim(spot) !== dim || !isVisible(spot)) continue;
        const usual = Math.max(spot.size, 1.6 / scale) * (kindOf(spot) === "usual" ? 1 : 0.65);
        const radius = usual * (isReplay && count - spot.order <= RECENT_COUNT ? 1.7 : 1);
        if (radius * scale > MIN_CIRCLE_RADIUS) circle(context, spot.x, spot.y, radius);
        else context.rect(spot.x - radius, spot.y - radius, 2 * radius, 2 * radius);
      }
      context.fill();
    }
  }
};

const drawRings = ({ context, props, count }: DrawContext, ink: string): void => {
  const { scale } = props.view.value;
  context.strokeStyle = ink;
  context.globalAlpha = 1;
  context.lineWidth = 2.5 / scale;
  context.beginPath();
  for (const spot of props.selected === null ? props.own : [...props.own, props.selected]) {
    if (spot.order < count) circle(context, spot.x, spot.y, Math.max(spot.size, 4 / scale) + 4 / scale);
  }
  context.stroke();
};

/** Draws pictures and initials, in screen coordinates. */
const drawFaces = (
  { context, props, count, isVisible, isDim }: DrawContext,
  ground: string,
  redraw: () => void,
): void => {
  const { x, y, scale } = props.view.value;
  context.fillStyle = ground;
  for (const spot of props.picture.spots) {
    const side = spot.size * scale;
    if (side < MIN_FACE_SIZE || spot.order >= count || !isVisible(spot)) continue;
    const [left, top] = [spot.x * scale + x, spot.y * scale + y];
    context.globalAlpha = isDim(spot) ? DIMMED_ALPHA : 1;
    const face = faceOf(spot, redraw);
    if (face === null) {
      context.font = `700 ${side}px ${FONT}`;
      context.fillText(initialOf(spot), left, top + side * 0.36);
      continue;
    }
    context.save();
    context.beginPath();
    circle(context, left, top, side * 0.87);
    context.clip();
    context.drawImage(face, left - side, top - side, 2 * side, 2 * side);
    context.restore();
  }
};

const drawTexts = (
  { context, props, isDim }: DrawContext,
  { ink, ground, muted }: ReturnType<typeof coloursOf>,
): void => {
  const { x, y, scale } = props.view.value;
  context.font = `600 ${LABEL_SIZE}px ${FONT}`;
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = ground;
  const write = (text: string, left: number, top: number, colour: string): void => {
    context.strokeText(text, left, top);
    context.fillStyle = colour;
    context.fillText(text, left, top);
  };
  context.globalAlpha = 1;
  for (const { radius, at, isNamed } of props.picture.days)
    if (isNamed) write(dayText(at), x, y - radius * scale - 4, muted);
  for (const spot of props.labels.value) {
    context.globalAlpha = isDim(spot) ? DIMMED_ALPHA : 1;
    write(labelOf(spot), spot.x * scale + x, (spot.y + spot.size) * scale + y + LABEL_SIZE * 1.1, ink);
  }
};

const draw = (
  element: HTMLCanvasElement,
  props: SceneProps,
  brushes: readonly Brush[],
  redraw: () => void,
): void => {
  const context = element.getContext("2d");
  const { picture, size, highlighted, isDimmed } = props;
  const { x, y, scale } = props.view.value;
  // The view has not been fitted to the frame yet.
  if (context === null || scale === 0) return;
  const isVisible = (spot: Spot): boolean => {
    const [left, top] = [spot.x * scale + x, spot.y * scale + y];
    return left > -60 && top > -60 && left < size.width + 60 && top < size.height + 60;
  };
  const isDim = (spot: Spot): boolean => isDimmed && !highlighted.has(spot);
  const drawing: DrawContext = { context, props, brushes, count: props.visibleCount.value, isVisible, isDim };
  const colours = coloursOf(element);
  const ratio = pixelRatio();
  context.resetTransform();
  context.clearRect(0, 0, element.width, element.height);
  context.textAlign = "center";
  context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y);
  context.strokeStyle = colours.line;
  context.globalAlpha = 1;
  context.lineWidth = 1 / scale;
  context.beginPath();
  for (const { radius } of picture.days) circle(context, 0, 0, radius);
  context.stroke();
  drawLinks(drawing);
  drawSpots(drawing);
  drawRings(drawing, colours.ink);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawFaces(drawing, colours.ground, redraw);
  drawTexts(drawing, colours);
};

export const CanvasScene = (props: SceneProps) => {
  const { picture, colouring, size, view, visibleCount, labels } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useDark();
  const brushes = useMemo(() => brushesOf(picture, colouring, dark), [picture.spots, colouring, dark]);
  const latest = useRef<{ props: SceneProps; brushes: Brush[]; frame: number }>({
    props,
    brushes: [],
    frame: 0,
  });
  /** Coalesces changes into one redraw per animation frame. */
  const scheduleDraw = (): void => {
    cancelAnimationFrame(latest.current.frame);
    latest.current.frame = requestAnimationFrame(() => {
      if (canvas.current !== null)
        draw(canvas.current, latest.current.props, latest.current.brushes, scheduleDraw);
    });
  };
  useLayoutEffect(() => {
    const isFirst = latest.current.brushes.length === 0;
    Object.assign(latest.current, { props, brushes });
    if (isFirst && canvas.current !== null) draw(canvas.current, props, brushes, scheduleDraw);
    else scheduleDraw();
  });
  useEffect(() => {
    let isFirst = true;
    return effect(() => {
      void [view.value, visibleCount.value, labels.value];
      if (!isFirst) scheduleDraw();
      isFirst = false;
    });
  }, [view, visibleCount, labels]);
  return (
    <canvas
      ref={canvas}
      class="scene"
      width={size.width * pixelRatio()}
      height={size.height * pixelRatio()}
      style={{ width: `${size.width}px`, height: `${size.height}px` }}
    />
  );
};
