/** The ancestry tree: who infected whom. Its nodes are infections, so it has no cycle by construction. */
import type { Infection } from "./interaction.ts";

/** The most nodes, and the most generations, that one answer holds. */
export const MAX_NODES = 10_000;
export const MAX_GENERATIONS = 200;

/** An infection with those that came of it. */
export interface AncestryNode {
  infection: Infection;
  /** How many this life infected, also those that the tree leaves out, but for hunts that were taken back. */
  kills: number;
  children: AncestryNode[];
}

/** A tree, or several. */
export interface Ancestry {
  roots: AncestryNode[];
  size: number;
  /** Whether there are more nodes below than are shown. */
  truncated: boolean;
}

const inOrder = (a: Infection, b: Infection): number =>
  a.at === b.at ? (a.infection_id < b.infection_id ? -1 : 1) : a.at < b.at ? -1 : 1;

/** Infections by their parent, each family in order of infection. */
export const groupByParent = (infections: Iterable<Infection>): Map<string | null, Infection[]> => {
  const byParent = Map.groupBy(infections, ({ parent }) => parent);
  for (const family of byParent.values()) family.sort(inOrder);
  return byParent;
};

/**
 * Grows the tree from its roots, generation by generation, so that what is cut off is what is youngest.
 * @param depth how many generations are shown, the roots being the first
 */
export const buildTree = (
  roots: readonly Infection[],
  byParent: ReadonlyMap<string | null, Infection[]>,
  depth: number,
  mostNodes = MAX_NODES,
): Ancestry => {
  const childrenOf = (infection: Infection): Infection[] => byParent.get(infection.infection_id) ?? [];
  const sprout = (infection: Infection): AncestryNode => ({
    infection,
    kills: childrenOf(infection).filter(({ voided }) => !voided).length,
    children: [],
  });

  const shown = roots.slice(0, mostNodes).map(sprout);
  let size = shown.length;
  let truncated = shown.length < roots.length;
  let generation = shown;
  for (let level = 1; generation.length > 0; level += 1) {
    const next: AncestryNode[] = [];
    for (const node of generation) {
      const room = level < depth ? mostNodes - size : 0;
      const children = childrenOf(node.infection);
      node.children = children.slice(0, room).map(sprout);
      truncated ||= node.children.length < children.length;
      size += node.children.length;
      for (const child of node.children) next.push(child);
    }
    generation = next;
  }
  return { roots: shown, size, truncated };
};
