/** The ancestry tree: who infected whom. Its nodes are infections. */
import type { Infection } from "./interaction.ts";

/** Limits of one response. */
export const MAX_NODES = 10_000;
export const MAX_GENERATIONS = 200;

export interface AncestryNode {
  infection: Infection;
  /** How many infections the player caused in this life, including those left out of the tree, without voided hunts. */
  kills: number;
  children: AncestryNode[];
}

/** One or several trees. */
export interface Ancestry {
  roots: AncestryNode[];
  size: number;
  /** Whether nodes were left out. */
  truncated: boolean;
}

const inOrder = (a: Infection, b: Infection): number =>
  a.at === b.at ? (a.infection_id < b.infection_id ? -1 : 1) : a.at < b.at ? -1 : 1;

/** Groups infections by their parent, each group in the order of infection. */
export const groupByParent = (infections: Iterable<Infection>): Map<string | null, Infection[]> => {
  const byParent = Map.groupBy(infections, ({ parent }) => parent);
  for (const children of byParent.values()) children.sort(inOrder);
  return byParent;
};

/**
 * Builds the tree from its roots, generation by generation, so that a limit cuts off the latest generations.
 * @param depth the number of generations, including the roots
 */
export const buildTree = (
  roots: readonly Infection[],
  byParent: ReadonlyMap<string | null, Infection[]>,
  depth: number,
  maxNodes: number,
): Ancestry => {
  const childrenOf = (infection: Infection): Infection[] => byParent.get(infection.infection_id) ?? [];
  const toNode = (infection: Infection): AncestryNode => ({
    infection,
    kills: childrenOf(infection).filter(({ voided }) => !voided).length,
    children: [],
  });

  const rootNodes = roots.slice(0, maxNodes).map(toNode);
  let size = rootNodes.length;
  let truncated = rootNodes.length < roots.length;
  let generation = rootNodes;
  for (let level = 1; generation.length > 0; level += 1) {
    const next: AncestryNode[] = [];
    for (const node of generation) {
      const capacity = level < depth ? maxNodes - size : 0;
      const children = childrenOf(node.infection);
      node.children = children.slice(0, capacity).map(toNode);
      truncated ||= node.children.length < children.length;
      size += node.children.length;
      for (const child of node.children) next.push(child);
    }
    generation = next;
  }
  return { roots: rootNodes, size, truncated };
};
