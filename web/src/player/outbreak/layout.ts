/**
 * A radial tree layout of the infections. The distance from the centre grows with time, and each subtree has a sector of
 * its own, so that links do not cross.
 */
import type { ZombieTree } from "../../state/api.ts";
import type { Point } from "../../state/picture.ts";

/** One infection in the picture. Positions and sizes are in pixels at scale 1. */
export interface Spot {
  node: ZombieTree;
  parent: Spot | null;
  children: Spot[];
  /** The depth in the tree; 0 for a root. */
  generation: number;
  /** The index in the order of infection. */
  order: number;
  /** When the infection happened, in milliseconds since 1970. */
  at: number;
  /** The number of infections in the subtree below it. */
  descendants: number;
  /** A root after the first tag: its hunter is unknown, or a game master or a checkpoint made it a zombie. */
  isLoose: boolean;
  angle: number;
  distance: number;
  x: number;
  y: number;
  size: number;
}

export interface Picture {
  /** In order of infection. */
  spots: Spot[];
  /** The distance of the outermost spot from the centre. */
  radius: number;
  /** The depth of the deepest spot. */
  maxGeneration: number;
  /** One circle per midnight, around the earlier infections. Circles that are close to another one have no label. */
  days: { radius: number; at: number; isNamed: boolean }[];
  from: number;
  until: number;
  /** Whether `resolveOverlaps` has been applied. */
  overlapsResolved: boolean;
}

const FULL_TURN = 2 * Math.PI;
/** The average distance between neighbouring spots. */
const SPACING = 60;
/** The minimum radial distance between a zombie and those they infected. */
const MIN_LINK = 34;
/** The distance of the first spot from the centre if there are several roots. */
const ROOT_DISTANCE = 44;
/** The rotation of the outermost spots, in radians. It grows with the distance and bends the branches. */
const TWIST = 0.55;

const sizeOf = ({ kills, hidden }: ZombieTree): number =>
  hidden === true ? 15 : Math.min(26, 12 + 3.2 * Math.sqrt(kills));

const spotOf = (node: ZombieTree, parent: Spot | null): Spot => ({
  node,
  parent,
  children: [],
  generation: parent === null ? 0 : parent.generation + 1,
  order: 0,
  at: node.infected_at === null ? Number.NEGATIVE_INFINITY : Date.parse(node.infected_at),
  descendants: 0,
  isLoose: false,
  angle: 0,
  distance: 0,
  x: 0,
  y: 0,
  size: sizeOf(node),
});

/** Returns the spots of all trees in depth-first order. */
const makeSpots = (roots: readonly ZombieTree[]): Spot[] => {
  const spots: Spot[] = [];
  const stack = roots.map((node) => spotOf(node, null)).reverse();
  for (let spot = stack.pop(); spot !== undefined; spot = stack.pop()) {
    spots.push(spot);
    for (const child of spot.node.children) spot.children.push(spotOf(child, spot));
    stack.push(...spot.children.toReversed());
  }
  return spots;
};

/** The relative angular distance between two neighbouring leaves. */
const separation = (one: Spot, other: Spot): number => (one.parent === other.parent ? 1 : 1.5);

/** Spreads the leaves around the circle and puts each other spot at the mean angle of its children. @param spots depth-first */
const assignAngles = (spots: readonly Spot[]): void => {
  const leaves = spots.filter(({ children }) => children.length === 0);
  const [first, last] = [leaves[0], leaves.at(-1)];
  if (first === undefined || last === undefined) return;
  let before = last;
  let sum = -separation(first, last) / 2;
  for (const leaf of leaves) {
    sum += separation(before, leaf);
    leaf.angle = sum;
    before = leaf;
  }
  for (const leaf of leaves) leaf.angle *= FULL_TURN / (sum + separation(first, last) / 2);
  for (const spot of spots.toReversed()) {
    const { children } = spot;
    if (children.length > 0)
      spot.angle = children.reduce((total, { angle }) => total + angle, 0) / children.length;
  }
};

/** Sorts spots by time, with numeric keys, because sorting objects is much slower. @param tree depth-first */
const byTime = (tree: readonly Spot[]): Spot[] => {
  const first = tree.reduce(
    (least, { at }) => (Number.isFinite(at) ? Math.min(least, at) : least),
    Date.now(),
  );
  const keys = Float64Array.from(
    tree,
    ({ at }, place) => (Number.isFinite(at) ? at - first + 1 : 0) * tree.length + place,
  );
  const spots: Spot[] = [];
  for (const key of keys.sort()) {
    const spot = tree[key % tree.length];
    if (spot !== undefined) spots.push(spot);
  }
  return spots;
};

const midnightsBetween = (from: number, until: number): number[] => {
  const midnights: number[] = [];
  const day = new Date(from);
  for (day.setHours(24, 0, 0, 0); day.getTime() < until; day.setDate(day.getDate() + 1)) {
    midnights.push(day.getTime());
  }
  return midnights;
};

/** Returns the number of infections at a time, by binary search. @param at milliseconds since 1970 */
export const countAt = ({ spots }: Pick<Picture, "spots">, at: number): number => {
  let [low, high] = [0, spots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spots[middle]?.at ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Larger pictures are painted before their overlaps are resolved, which is hardly visible at their scale. */
const MAX_SYNC_SPOTS = 500;

/** Lays out the tree. @param now milliseconds since 1970 */
export const layOut = (roots: ZombieTree[], now: number): Picture => {
  const tree = makeSpots(roots);
  assignAngles(tree);
  const spots = byTime(tree);
  const middle = roots.length > 1 ? ROOT_DISTANCE : 0;
  const targetRadius = middle + SPACING * Math.sqrt(spots.length / Math.PI);
  // Constant density: the area grows with the number of infections, however fast they spread.
  const distanceOf = (order: number): number =>
    middle + (targetRadius - middle) * Math.sqrt(Math.max(0, order) / Math.max(1, spots.length - 1));
  let radius = ROOT_DISTANCE;
  const firstTag = spots.find(({ parent }) => parent !== null)?.at ?? now;
  spots.forEach((spot, order) => {
    spot.order = order;
    spot.isLoose = spot.parent === null && spot.at > firstTag;
    const minDistance = spot.parent === null ? 0 : spot.parent.distance + MIN_LINK;
    spot.distance = Math.max(distanceOf(order), minDistance);
    radius = Math.max(radius, spot.distance);
  });
  for (const spot of spots) {
    const { x, y } = polarPoint(spot.angle, spot.distance, radius);
    spot.x = x;
    spot.y = y;
  }
  for (const { descendants, parent } of spots.toReversed())
    if (parent !== null) parent.descendants += descendants + 1;
  const from = spots.find(({ at }) => Number.isFinite(at))?.at ?? now;
  const until = Math.max(now, spots.at(-1)?.at ?? now);
  const days: Picture["days"] = [];
  for (const at of midnightsBetween(from, until)) {
    const circle = distanceOf(countAt({ spots }, at) - 0.5);
    const gap = circle - (days.at(-1)?.radius ?? 0);
    if (gap > MIN_LINK / 2) days.push({ radius: circle, at, isNamed: gap > radius / 9 });
  }
  const maxGeneration = Math.max(0, ...spots.map(({ generation }) => generation));
  const picture = { spots, radius, maxGeneration, days, from, until, overlapsResolved: false };
  return spots.length > MAX_SYNC_SPOTS ? picture : resolveOverlaps(picture);
};

/** Runs the layout on sample data while the tree is loading, so that the JavaScript engine has optimized it by then. */
export const warmUp = (): void => {
  const node = (n: number): ZombieTree => ({
    infection_id: null,
    player_ref: null,
    alias: null,
    state: null,
    picture_url: null,
    children: [],
    kills: n % 3,
    voided: false,
    infected_at: new Date(n * 60_000).toISOString(),
  });
  const nodes = Array.from({ length: MAX_SYNC_SPOTS }, (_, n) => node(n));
  nodes.forEach((one, n) => {
    if (n > 0) nodes[(n * 7) % Math.ceil(n / 2)]?.children.push(one);
  });
  for (let times = 0; times < 4; times += 1) layOut(nodes.slice(0, 1), 0);
};

/** The minimum gap between the edges of two spots. */
const GAP = 7;
/** The number of iterations: fewer in a large picture, where they are slow and overlaps are less visible. */
const roundsFor = (count: number): number => Math.max(2, Math.min(12, Math.round(6_000 / count)));
/** The side of a grid cell: only spots in the same or in adjacent cells can overlap. */
const CELL = 2 * 26 + GAP;

/** A spatial grid with linked lists: each spot's cell, each cell's first spot, and each spot's successor; -1 for none. */
const gridOf = (spots: readonly Spot[], cellOf: (spot: Spot) => number, count: number) => {
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(spots.length);
  const cells = new Int32Array(spots.length);
  for (const spot of spots) {
    const { order } = spot;
    const cell = cellOf(spot);
    cells[order] = cell;
    next[order] = first[cell] ?? -1;
    first[cell] = order;
  }
  return { first, next, cells };
};

const pushApart = (one: Spot, other: Spot): void => {
  const [x, y] = [other.x - one.x, other.y - one.y];
  const least = one.size + other.size + GAP;
  const square = x * x + y * y;
  if (square >= least * least || square === 0) return;
  const by = (least / Math.sqrt(square) - 1) / 2;
  one.x -= x * by;
  one.y -= y * by;
  other.x += x * by;
  other.y += y * by;
};

/** Moves overlapping spots apart, in place, and returns the picture marked as resolved. */
export const resolveOverlaps = (picture: Picture): Picture => {
  const { spots, radius } = picture;
  // The margin is for spots that are moved out of the circle.
  const side = Math.ceil((2 * radius) / CELL) + 8;
  const columnOf = (at: number): number =>
    Math.min(side - 2, Math.max(1, Math.floor((at + radius) / CELL) + 4));
  const rounds = roundsFor(spots.length);
  const cellOf = ({ x, y }: Spot): number => columnOf(y) * side + columnOf(x);
  // Half of the neighbouring cells, so that each pair of spots is compared once.
  const near = [1, side - 1, side, side + 1];
  for (let round = 0; round < rounds; round += 1) {
    const { first, next, cells } = gridOf(spots, cellOf, side * side);
    for (const spot of spots) {
      const cell = cells[spot.order] ?? 0;
      const compare = (from: number): void => {
        for (let order = from; order >= 0; order = next[order] ?? -1) {
          const other = spots[order];
          if (other !== undefined) pushApart(spot, other);
        }
      };
      compare(next[spot.order] ?? -1);
      for (const step of near) compare(first[cell + step] ?? -1);
    }
  }
  return { ...picture, overlapsResolved: true };
};

const polarPoint = (angle: number, distance: number, radius: number): Point => {
  const turned = angle - FULL_TURN / 4 + (TWIST * distance) / radius;
  return { x: distance * Math.cos(turned), y: distance * Math.sin(turned) };
};

/** Returns the control points of the Bézier curve from a spot's parent to the spot. */
export const controlPoints = ({ angle, distance }: Spot, parent: Spot, radius: number): [Point, Point] => {
  const between = (parent.distance + distance) / 2;
  return [polarPoint(parent.angle, between, radius), polarPoint(angle, between, radius)];
};

/** Returns a spot with its ancestors and descendants. */
export const lineageOf = (spot: Spot): Set<Spot> => {
  const line = new Set<Spot>([spot]);
  // Iterating over a set also visits elements that are added meanwhile.
  for (const one of line) for (const child of one.children) line.add(child);
  for (let above = spot.parent; above !== null; above = above.parent) line.add(above);
  return line;
};
