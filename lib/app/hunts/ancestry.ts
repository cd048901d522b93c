/** Loads the tree of infections: the whole tree, or the part below one infection. */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import {
  type Ancestry,
  type AncestryNode,
  buildTree,
  groupByParent,
  MAX_NODES,
} from "../../domain/hunts/ancestry.ts";
import { type Infection, isInfection } from "../../domain/hunts/interaction.ts";
import { type State, stateOf } from "../../domain/players/player.ts";
import { chunk } from "../../runtime/chunk.ts";
import { type HiddenOriginals, type LoadHidden, NOBODY_HIDDEN } from "../../store/hunts/hiddenOriginals.ts";
import type { NamedEntry } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";
import { identityOf } from "../shown.ts";

/** A node of the response. The fields about the player are `null` if the account is deleted. */
export interface TreeNode {
  infection_id: string | null;
  player_ref: string | null;
  alias: string | null;
  state: State | null;
  picture_url: string | null;
  infected_at: string | null;
  kills: number;
  voided: boolean;
  hidden?: true;
  children: TreeNode[];
}

interface NodePlayer {
  player_ref: string;
  alias: string;
  state: State;
  picture_url: string | null;
}

const MAX_CONCURRENT_READS = 32;

const nodesIn = (roots: readonly AncestryNode[]): AncestryNode[] => {
  const nodes: AncestryNode[] = [];
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes.push(node);
    pending.push(...node.children);
  }
  return nodes;
};

const noInfection = (): DomainError => new DomainError("not_found", "There is no such infection.");

const infectionOf = async (store: Store, game: Game, id: string): Promise<Infection> => {
  const interaction = await store.interaction(game, id);
  if (interaction === null || !isInfection(interaction.kind) || interaction.target === null) {
    throw noInfection();
  }
  const { at, target, parent, voided_by } = interaction;
  return { infection_id: id, at, target, parent: parent ?? null, voided: voided_by !== undefined };
};

/** The state from which a tree is built, and the original zombies that are hidden from its viewer. */
interface TreeContext {
  store: Store;
  game: Game;
  now: number;
  hidden: LoadHidden | undefined;
}

/** A tree with as many of the first infections of a large game is read from the list of all infections. */
const MANY_OF_FIRST = 20;
/** At most this many families are read one by one, each with one query. */
const MAX_FAMILIES = 200;

/** A cycle, which stored data may have, ends where it began. */
const without = (root: Infection, infections: readonly Infection[]): Infection[] =>
  infections.filter(({ infection_id }) => infection_id !== root.infection_id);

/**
 * The infections below one infection, read family by family, with the children of the last generation, because they count
 * as kills.
 * @returns `null` if there are more than {@link MAX_FAMILIES} families
 */
const familiesBelow = async (store: Store, root: Infection, depth: number): Promise<Infection[] | null> => {
  const found: Infection[] = [];
  let families = 0;
  let generation = [root];
  for (let level = 1; level <= depth && generation.length > 0; level += 1) {
    families += generation.length;
    if (families > MAX_FAMILIES) return null;
    const parents = generation;
    generation = [];
    for (const group of chunk(parents, MAX_CONCURRENT_READS)) {
      const children = await Promise.all(group.map(({ infection_id }) => store.infectedBy(infection_id)));
      generation.push(...without(root, children.flat()));
    }
    found.push(...generation);
  }
  return found;
};

/**
 * The tree below one infection. The list of all infections has thousands in each page, so it takes fewer queries than the
 * families of a tree, but more read units if the game is large and the tree is small.
 */
const treeFrom = async (
  { store, game }: TreeContext,
  root: Infection,
  depth: number,
  maxNodes: number,
): Promise<Ancestry> => {
  const build = (found: readonly Infection[]): Ancestry =>
    buildTree([root], groupByParent(without(root, found)), depth, maxNodes);
  const { infections, isComplete, rest } = await store.beginInfections(game);
  const tree = build(infections);
  if (isComplete) return tree;
  const families = tree.size > MANY_OF_FIRST ? null : await familiesBelow(store, root, depth);
  return build(families ?? [...infections, ...(await rest())]);
};

const playersOf = (
  zombies: ReadonlyMap<string, NamedEntry>,
  hidden: HiddenOriginals,
  { game, now }: TreeContext,
): Map<string, NodePlayer> => {
  const shown = [...hidden.players].map(([id, one]) => [id, one.shown] as const);
  return new Map(
    [...zombies, ...shown].map(([id, one]) => [
      id,
      { ...identityOf(one), alias: one.alias, state: stateOf(one, game, now) },
    ]),
  );
};

/** The root above the infections of all hidden original zombies. No infection has its id. */
const HIDDEN_ROOT: Infection = { infection_id: "", parent: null, target: "", at: "", voided: false };

/**
 * Removes the infections of hidden original zombies. The infections that these caused get {@link HIDDEN_ROOT} as
 * parent.
 */
const withoutHidden = (all: readonly Infection[], { infections }: HiddenOriginals): Infection[] => {
  if (infections.size === 0) return [...all];
  const others = all.filter(({ infection_id }) => !infections.has(infection_id));
  const shown = others.map((one) =>
    infections.has(one.parent ?? "") ? { ...one, parent: HIDDEN_ROOT.infection_id } : one,
  );
  return shown.some(({ parent }) => parent === HIDDEN_ROOT.infection_id) ? [HIDDEN_ROOT, ...shown] : shown;
};

// The recursion is limited by the number of generations that a request may ask for.
const view = (node: AncestryNode, players: ReadonlyMap<string, NodePlayer>): TreeNode => {
  const { infection, kills, children } = node;
  const player = players.get(infection.target);
  const isHidden = infection === HIDDEN_ROOT;
  return {
    infection_id: isHidden ? null : infection.infection_id,
    player_ref: player?.player_ref ?? null,
    alias: player?.alias ?? null,
    state: player?.state ?? null,
    picture_url: player?.picture_url ?? null,
    infected_at: isHidden ? null : infection.at,
    kills,
    voided: infection.voided,
    ...(isHidden ? { hidden: true } : {}),
    children: children.map((child) => view(child, players)),
  };
};

const response = ({ roots, size, truncated }: Ancestry, players: ReadonlyMap<string, NodePlayer>) => ({
  roots: roots.map((root) => view(root, players)),
  size,
  truncated,
});

/**
 * The whole tree, or the tree below the infection `root`.
 * @param options.maxNodes the number of nodes above which the latest generations are left out
 * @throws DomainError `not_found` when `root` is not an infection
 */
export const loadAncestryTree = async (
  context: TreeContext,
  { root, depth, maxNodes = MAX_NODES }: { root?: string | undefined; depth: number; maxNodes?: number },
): Promise<{ roots: TreeNode[]; size: number; truncated: boolean }> => {
  const { store, game } = context;
  const loadHidden = async (): Promise<HiddenOriginals> => (await context.hidden?.()) ?? NOBODY_HIDDEN;
  if (root !== undefined) {
    const top = await infectionOf(store, game, root);
    const tree = await treeFrom(context, top, depth, maxNodes);
    const ids = new Set(nodesIn(tree.roots).map(({ infection }) => infection.target));
    const named = await store.named(ids);
    const hidden = await loadHidden();
    if (hidden.infections.has(root)) throw noInfection();
    return response(tree, playersOf(named, hidden, context));
  }
  const [all, zombies] = await Promise.all([store.infections(game), store.everyZombie(game)]);
  const hidden = await loadHidden();
  const byParent = groupByParent(withoutHidden(all, hidden));
  const tree = buildTree(byParent.get(null) ?? [], byParent, depth, maxNodes);
  return response(tree, playersOf(zombies, hidden, context));
};
