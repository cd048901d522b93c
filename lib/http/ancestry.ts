/** The ancestry tree as shown: read whole, or from one infection down. */
import { type Ancestry, type AncestryNode, families, growTree, MOST_NODES } from "../domain/ancestry.ts";
import type { Game } from "../domain/clock.ts";
import { type Infection, isInfection } from "../domain/interaction.ts";
import { type State, stateOf } from "../domain/player.ts";
import { Refusal } from "../domain/refusal.ts";
import { parseKillsEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";

/** A node as shown; `alias` and `state` are `null` for a deleted account. */
export interface TreeNode {
  infection_id: string;
  alias: string | null;
  state: State | null;
  infected_at: string;
  kills: number;
  children: TreeNode[];
}

interface Shown {
  alias: string;
  state: State;
}

const READS_AT_ONCE = 32;

const infectionOf = async (store: Store, id: string): Promise<Infection> => {
  const interaction = await store.interaction(id);
  if (interaction === null || !isInfection(interaction.kind) || interaction.target === null) {
    throw new Refusal("not_found", "There is no such infection.");
  }
  const { at, target, parent } = interaction;
  return { infection_id: id, at, target, parent: parent ?? null };
};

/** The families below an infection, generation by generation, one further than is shown: kills are counted. */
const familiesBelow = async (
  store: Store,
  root: Infection,
  depth: number,
): Promise<Map<string | null, Infection[]>> => {
  const found: Infection[] = [];
  let generation = [root];
  for (let level = 1; level <= depth && generation.length > 0 && found.length < MOST_NODES; level += 1) {
    const next: Infection[] = [];
    for (let at = 0; at < generation.length; at += READS_AT_ONCE) {
      const parents = generation.slice(at, at + READS_AT_ONCE);
      const children = await Promise.all(parents.map(({ infection_id }) => store.infectedBy(infection_id)));
      next.push(...children.flat());
    }
    found.push(...next);
    generation = next;
  }
  return families(found);
};

const everyInfection = async (store: Store): Promise<Infection[]> => {
  const all: Infection[] = [];
  for await (const infection of store.infections()) all.push(infection);
  return all;
};

/** Alias and state of everyone who was ever a zombie, by player id. */
const everyZombie = async (store: Store, game: Game, now: number): Promise<Map<string, Shown>> => {
  const shown = new Map<string, Shown>();
  for await (const { item } of store.killsEntries(1_000)) {
    const entry = parseKillsEntry(item);
    shown.set(entry.player_id, { alias: entry.alias, state: stateOf(entry, game, now) });
  }
  return shown;
};

const playersIn = (roots: readonly AncestryNode[]): Set<string> => {
  const ids = new Set<string>();
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    ids.add(node.infection.target);
    pending.push(...node.children);
  }
  return ids;
};

const theseZombies = async (
  store: Store,
  ids: Set<string>,
  game: Game,
  now: number,
): Promise<Map<string, Shown>> => {
  const players = await store.named(ids);
  return new Map(
    [...players].map(([id, player]) => [id, { alias: player.alias, state: stateOf(player, game, now) }]),
  );
};

// Never deeper than the generations that a request may ask for.
const view = (node: AncestryNode, shown: ReadonlyMap<string, Shown>): TreeNode => {
  const { infection, kills, children } = node;
  const player = shown.get(infection.target);
  return {
    infection_id: infection.infection_id,
    alias: player?.alias ?? null,
    state: player?.state ?? null,
    infected_at: infection.at,
    kills,
    children: children.map((child) => view(child, shown)),
  };
};

const answer = ({ roots, size, truncated }: Ancestry, shown: ReadonlyMap<string, Shown>) => ({
  roots: roots.map((root) => view(root, shown)),
  size,
  truncated,
});

/**
 * The tree, or what grows from one infection.
 * @throws Refusal `not_found` when `root` is no infection
 */
export const ancestry = async (
  store: Store,
  game: Game,
  now: number,
  { root, depth }: { root?: string | undefined; depth: number },
): Promise<{ roots: TreeNode[]; size: number; truncated: boolean }> => {
  if (root !== undefined) {
    const top = await infectionOf(store, root);
    const tree = growTree([top], await familiesBelow(store, top, depth), depth);
    return answer(tree, await theseZombies(store, playersIn(tree.roots), game, now));
  }
  const [all, shown] = await Promise.all([everyInfection(store), everyZombie(store, game, now)]);
  const byParent = families(all);
  return answer(growTree(byParent.get(null) ?? [], byParent, depth), shown);
};
