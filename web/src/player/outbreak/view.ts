/** The viewport of the picture, and the labels that fit into it. */
import type { Point } from "../../state/picture.ts";
import type { Picture, Spot } from "./layout.ts";

/** The pan offset and the scale. A point of the picture is drawn at `point * scale + offset`. */
export interface View extends Point {
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const MAX_SCALE = 3;

/** Returns the view that shows the whole picture. */
export const fitView = ({ radius }: Picture, { width, height }: Size): View => {
  const scale = Math.min(1.25, (Math.min(width, height) / 2 - 12) / (radius + 26));
  return { x: width / 2, y: height / 2, scale: Math.max(0.02, scale) };
};

/** Returns the view that centres a point of the picture. */
export const centreView = ({ x, y }: Point, scale: number, { width, height }: Size): View => ({
  x: width / 2 - x * scale,
  y: height / 2 - y * scale,
  scale,
});

/** Zooms around a point of the screen. @param minScale the minimum scale */
export const zoomView = (view: View, factor: number, origin: Point, minScale: number): View => {
  const scale = Math.min(MAX_SCALE, Math.max(minScale, view.scale * factor));
  const by = scale / view.scale;
  return { x: origin.x - (origin.x - view.x) * by, y: origin.y - (origin.y - view.y) * by, scale };
};

/** Returns the spot nearest to a point of the screen, within the tolerance of a fingertip, or `null`. */
export const spotAt = (
  spots: readonly Spot[],
  visibleCount: number,
  view: View,
  point: Point,
): Spot | null => {
  let [nearest, nearestDistance]: [Spot | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const spot of spots) {
    if (spot.order >= visibleCount) break;
    const distance = Math.hypot(
      spot.x * view.scale + view.x - point.x,
      spot.y * view.scale + view.y - point.y,
    );
    if (distance < nearestDistance && distance <= Math.max(18, spot.size * view.scale + 4))
      [nearest, nearestDistance] = [spot, distance];
  }
  return nearest;
};

/** The font size of labels on the screen. */
export const LABEL_SIZE = 12;
const MAX_LABEL_LENGTH = 18;
const MAX_LABELS = 120;

export const labelOf = ({ node }: Spot): string => {
  const letters = [...(node.alias ?? "")];
  return letters.length > MAX_LABEL_LENGTH
    ? `${letters.slice(0, MAX_LABEL_LENGTH - 1).join("")}…`
    : letters.join("");
};

const CELL = 8;

/** Returns the keys of the grid cells that a box covers. */
const cellsOf = (left: number, top: number, right: number, bottom: number): string[] => {
  const cells: string[] = [];
  for (let row = Math.floor(top / CELL); row <= Math.floor(bottom / CELL); row += 1) {
    for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column += 1) {
      cells.push(`${column} ${row}`);
    }
  }
  return cells;
};

/** Selects the labels to show, most important first, so that none covers another label or the centre of a spot. */
export const visibleLabels = (
  spots: readonly Spot[],
  importanceOf: (spot: Spot) => number,
  visibleCount: number,
  { x, y, scale }: View,
  { width, height }: Size,
): Spot[] => {
  const occupied = new Set<string>();
  const seen: { spot: Spot; left: number; top: number; size: number }[] = [];
  for (const spot of spots) {
    const [left, top, size] = [spot.x * scale + x, spot.y * scale + y, spot.size * scale];
    if (spot.order >= visibleCount || left < 0 || top < 0 || left > width || top > height || size < 3)
      continue;
    seen.push({ spot, left, top, size });
    const inner = size * 0.6;
    for (const cell of cellsOf(left - inner, top - inner, left + inner, top + inner)) occupied.add(cell);
  }
  seen.sort((one, other) => importanceOf(other.spot) - importanceOf(one.spot));
  const found: Spot[] = [];
  for (const { spot, left, top, size } of seen) {
    if (found.length >= MAX_LABELS) break;
    const half = ([...labelOf(spot)].length * LABEL_SIZE * 0.56) / 2 + 2;
    const cells = cellsOf(left - half, top + size + 3, left + half, top + size + LABEL_SIZE + 3);
    const isFree = !cells.some((cell) => occupied.has(cell));
    if (spot.node.alias === null || !isFree) continue;
    for (const cell of cells) occupied.add(cell);
    found.push(spot);
  }
  return found;
};
