/**
 * Schedules: the order in which the calls of concurrent operations are made. No schedule runs twice. The relevant ones
 * run first: two calls on different items have the same result in either order, so one of the schedules that differ
 * only in that is enough. Further relevant schedules are found from each run: wherever two of its calls on the same
 * item could have come in the other order (dynamic partial order reduction, with source sets and sleep sets). The
 * schedules without a relevant difference run last.
 */
import type { Random } from "../../support/battery.ts";
import { conflict, inWords, type Touches, type Waiting } from "./turns.ts";

/** A prefix of schedules. */
interface Node {
  /** The calls that wait here; empty until a run has come here. */
  waiting: ReadonlyMap<string, Waiting>;
  next: Map<string, Node>;
  /** The calls that must come next in some schedule, because it is relevant. */
  wanted: Set<string>;
  /** Calls that need not come next: other schedules have the same results. */
  asleep: ReadonlyMap<string, Touches>;
  /** Whether a wanted schedule with this prefix has not run. */
  isOpen: boolean;
  /** Whether every schedule from here has run. */
  isDone: boolean;
}

const newNode = (asleep: ReadonlyMap<string, Touches>): Node => ({
  waiting: new Map(),
  next: new Map(),
  wanted: new Set(),
  asleep,
  isOpen: false,
  isDone: false,
});

/** The probabilities that the same operation makes the next call: from frequent to rare interruptions. */
const STAYING = [0, 0.5, 0.8, 0.93] as const;

/** Whether a call waited for another of the same operation. */
const follows = (later: Waiting, earlier: Waiting): boolean =>
  later.operation === earlier.operation && later.after.includes(earlier.name);

/** For each step, the earlier ones that it could not precede: it waited for them, or both concern the same item. */
const causesOf = (steps: readonly Waiting[]): Set<number>[] => {
  const causes: Set<number>[] = [];
  for (const [at, step] of steps.entries()) {
    const own = new Set<number>();
    for (let earlier = at - 1; earlier >= 0; earlier -= 1) {
      const other = steps[earlier];
      if (other === undefined || own.has(earlier)) continue;
      if (!follows(step, other) && !conflict(step.touches, other.touches)) continue;
      own.add(earlier);
      for (const further of causes[earlier] ?? []) own.add(further);
    }
    causes.push(own);
  }
  return causes;
};

/**
 * The places in a run where two calls could have come in the other order: the step before which another schedule could
 * branch off, and the calls that could begin it.
 */
const reversals = (steps: readonly Waiting[]): { before: number; beginnings: string[] }[] => {
  const causes = causesOf(steps);
  const isCause = (one: number, other: number): boolean => causes[other]?.has(one) === true;
  const found: { before: number; beginnings: string[] }[] = [];
  for (const [later, step] of steps.entries()) {
    for (const earlier of causes[later] ?? []) {
      const other = steps[earlier];
      if (other === undefined || follows(step, other)) continue;
      const between = [...(causes[later] ?? [])];
      if (between.some((middle) => isCause(earlier, middle))) continue;
      const rest = steps.flatMap((_, at) =>
        at > earlier && at !== later && !isCause(earlier, at) ? [at] : [],
      );
      const all = [...rest, later];
      const beginnings = all.filter((at) => !all.some((cause) => isCause(cause, at)));
      found.push({ before: earlier, beginnings: beginnings.flatMap((at) => steps[at]?.name ?? []) });
    }
  }
  return found;
};

const settle = (node: Node): void => {
  node.isDone = [...node.waiting.keys()].every((name) => node.next.get(name)?.isDone === true);
  node.isOpen = [...node.wanted].some((name) => {
    const child = node.next.get(name);
    return !node.asleep.has(name) && (child === undefined || child.isOpen);
  });
};

/** All schedules of two operations, in an order that `random` decides. */
export const newSchedules = (random: Random) => {
  const root = newNode(new Map());

  const checkWaiting = (node: Node, waiting: readonly Waiting[]): void => {
    if (node.waiting.size === 0) node.waiting = new Map(waiting.map((call) => [call.name, call]));
    const [names, earlier] = [waiting, [...node.waiting.values()]].map((calls) => calls.map(inWords).sort());
    const isSame =
      waiting.length === node.waiting.size && waiting.every(({ name }) => node.waiting.has(name));
    if (!isSame)
      throw new Error(
        `after the same schedule, ${earlier?.join(" and ")} waited; now ${names?.join(" and ")}`,
      );
  };

  const childOf = (node: Node, { name, touches }: Waiting): Node => {
    const known = node.next.get(name);
    if (known !== undefined) return known;
    const asleep = new Map<string, Touches>();
    const before = [...node.next.keys()].filter((other) => node.wanted.has(other));
    for (const other of [...node.asleep.keys(), ...before]) {
      const sleeping = node.waiting.get(other)?.touches;
      if (other !== name && sleeping !== undefined && !conflict(sleeping, touches))
        asleep.set(other, sleeping);
    }
    const child = newNode(asleep);
    node.next.set(name, child);
    return child;
  };

  /** Begins a schedule that has not run; with `first`, the one in which that operation runs before the other. */
  const walk = (first?: number) => {
    const path: Node[] = [];
    const steps: Waiting[] = [];
    const stay = random.pick(STAYING);
    let node = root;
    let last = random.below(2);
    let isWanted = first !== undefined || root.isOpen;

    const drawn = (from: readonly Waiting[]): Waiting => {
      const same = from.filter(({ operation }) => operation === last);
      const [head, ...rest] = same.length > 0 && random.chance(stay) ? same : from;
      if (head === undefined) throw new Error("every schedule from here has run");
      return random.pick([head, ...rest]);
    };

    const candidates = (waiting: readonly Waiting[], awake: readonly Waiting[]): readonly Waiting[] => {
      if (first !== undefined) {
        const own = waiting.filter(({ operation }) => operation === first);
        return (own.length > 0 ? own : waiting).slice(0, 1);
      }
      const open = awake.filter(({ name }) => node.wanted.has(name) && node.next.get(name)?.isOpen !== false);
      if (isWanted && open.length > 0) return open;
      if (isWanted && node.wanted.size === 0 && awake.length > 0) return awake;
      return waiting.filter(({ name }) => node.next.get(name)?.isDone !== true);
    };

    return {
      /** The calls that were made, in order. */
      steps: steps as readonly Waiting[],
      /** Chooses the next of the waiting calls. */
      choose(waiting: readonly Waiting[]): Waiting {
        checkWaiting(node, waiting);
        const awake = waiting.filter(({ name }) => !node.asleep.has(name));
        const chosen = drawn(candidates(waiting, awake));
        if (isWanted && awake.includes(chosen)) node.wanted.add(chosen.name);
        else if (isWanted && awake.length > 0 && node.wanted.size === 0) node.wanted.add(drawn(awake).name);
        isWanted &&= node.wanted.has(chosen.name) && !node.asleep.has(chosen.name);
        path.push(node);
        steps.push(chosen);
        node = childOf(node, chosen);
        last = chosen.operation;
        return chosen;
      },
      /** To be called when all operations have ended. */
      end(): void {
        node.isDone = true;
        for (const { before, beginnings } of isWanted ? reversals(steps) : []) {
          const above = path[before];
          const [head, ...rest] = beginnings;
          if (above === undefined || head === undefined) continue;
          const isThere = beginnings.some((name) => above.wanted.has(name) || above.asleep.has(name));
          if (!isThere) above.wanted.add(random.pick([head, ...rest]));
        }
        for (const above of path.toReversed()) settle(above);
      },
    };
  };

  return {
    walk,
    /** Whether a relevant schedule has not run. */
    isOpen: () => root.isOpen,
    /** Whether all schedules have run. */
    isDone: () => root.isDone,
  };
};
export type Schedules = ReturnType<typeof newSchedules>;
