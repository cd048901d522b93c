/**
 * Where each infection is drawn: the later, the further from the middle, and the family of each zombie in a sector of its
 * own, so that no two links cross.
 */
import type { ZombieTree } from "../../api.ts";
import type { Point } from "../../ui/gestures.ts";

/** One infection in the picture. Positions and sizes are in pixels at a scale of one. */
export interface Spot {
  node: ZombieTree;
  parent: Spot | null;
  children: Spot[];
  /** How many infections led to it. */
  generation: number;
  /** How many infections came before it. */
  order: number;
  /** When it was, in milliseconds since 1970. */
  at: number;
  /** How many infections followed from it. */
  descendants: number;
  /** Whether its hunter is not known, although others had tagged before: a reported tag, or a revival. */
  isLoose: boolean;
  angle: number;
  distance: number;
  x: number;
  y: number;
  size: number;
}

export interface Picture {
  /** In the order of infection. */
  spots: Spot[];
  /** The distance of the outermost spot. */
  radius: number;
  /** The greatest generation. */
  maxGeneration: number;
  /** A circle around what happened before each midnight. Those close to another one are not named. */
  days: { radius: number; at: number; isNamed: boolean }[];
  from: number;
  until: number;
  /** Whether spots that overlapped were moved apart. */
  overlapsResolved: boolean;
}

const FULL_TURN = 2 * Math.PI;
/** The side of the square that a spot has on average. */
const SPACING = 60;
/** The least distance between a zombie and whom they infected. */
const MIN_LINK = 34;
/** The distance of the first of several roots from the middle. */
const ROOT_DISTANCE = 44;
/** By how much the outermost spots are turned, so that the branches are bent. */
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

/** All spots, each before those below it and before its next sibling. */
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

/** How far apart two neighbours on the outside are, for one that has others below it the middle of them. */
const separation = (one: Spot, other: Spot): number => (one.parent === other.parent ? 1 : 1.5);

/** Gives each spot its angle. @param spots in the order of the tree */
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

/** The spots in the order of infection. Numbers are sorted much faster than objects. @param tree parents before children */
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

/** How many spots, which are in the order of infection, were there at a time. */
export const countAt = ({ spots }: Pick<Picture, "spots">, at: number): number => {
  let [low, high] = [0, spots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spots[middle]?.at ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** In a larger picture spots are moved apart after it was painted. At its scale one hardly sees that. */
const MAX_SYNC_SPOTS = 500;

/** @param now milliseconds since 1970 */
export const layOut = (roots: ZombieTree[], now: number): Picture => {
  const tree = makeSpots(roots);
  assignAngles(tree);
  const spots = byTime(tree);
  const middle = roots.length > 1 ? ROOT_DISTANCE : 0;
  const wanted = middle + SPACING * Math.sqrt(spots.length / Math.PI);
  // As many spots come into each part of the area, however fast the infection spread.
  const distanceOf = (order: number): number =>
    middle + (wanted - middle) * Math.sqrt(Math.max(0, order) / Math.max(1, spots.length - 1));
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

/** Has the browser compile the layout while the response is on its way: then that of a large outbreak is faster. */
export const warmUp = (): void => {
  const node = (n: number): ZombieTree => ({
    ...{ infection_id: null, player_ref: null, alias: null, state: null, picture_url: null, children: [] },
    ...{ kills: n % 3, voided: false, infected_at: new Date(n * 60_000).toISOString() },
  });
  const nodes = Array.from({ length: MAX_SYNC_SPOTS }, (_, n) => node(n));
  nodes.forEach((one, n) => {
    if (n > 0) nodes[(n * 7) % Math.ceil(n / 2)]?.children.push(one);
  });
  for (let times = 0; times < 4; times += 1) layOut(nodes.slice(0, 1), 0);
};

/** How far apart the edges of two spots are at least. */
const GAP = 7;
/** How often spots are moved apart: less in a large picture, where it takes long and is seen less. */
const roundsFor = (count: number): number => Math.max(2, Math.min(12, Math.round(6_000 / count)));
/** Spots of different cells that do not touch do not overlap. */
const CELL = 2 * 26 + GAP;

/** The cell of each spot in a grid, the first spot of each cell, and the one after each spot in its cell; -1 for none. */
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

/** Moves spots apart that overlap. */
export const resolveOverlaps = (picture: Picture): Picture => {
  const { spots, radius } = picture;
  // Some are moved out of the circle.
  const side = Math.ceil((2 * radius) / CELL) + 8;
  const columnOf = (at: number): number =>
    Math.min(side - 2, Math.max(1, Math.floor((at + radius) / CELL) + 4));
  const rounds = roundsFor(spots.length);
  const cellOf = ({ x, y }: Spot): number => columnOf(y) * side + columnOf(x);
  // Two spots of neighbouring cells are compared once.
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

/** The two control points of the curve from a zombie to the spot. */
export const controlPoints = ({ angle, distance }: Spot, parent: Spot, radius: number): [Point, Point] => {
  const between = (parent.distance + distance) / 2;
  return [polarPoint(parent.angle, between, radius), polarPoint(angle, between, radius)];
};

/** The spots from which it came, and those that came from it; itself too. */
export const lineageOf = (spot: Spot): Set<Spot> => {
  const line = new Set<Spot>([spot]);
  // What is added meanwhile is visited too.
  for (const one of line) for (const child of one.children) line.add(child);
  for (let above = spot.parent; above !== null; above = above.parent) line.add(above);
  return line;
};
