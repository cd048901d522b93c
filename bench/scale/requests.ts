/** Recorded requests, which are replayed with other shards, counter slots and hunters in their keys. */
import {
  ALERTS_LIST,
  COUNTER_SLOTS,
  countersList,
  DISPUTES_LIST,
  keys,
  SCHEDULED_LIST,
  STATISTICS_LIST,
  WORDS_LIST,
} from "../../lib/store/keys.ts";
import { PLAYERS } from "../../scripts/cost/trafficModel.ts";
import type { Call } from "./recorder.ts";
import type { Part } from "./sizes.ts";

/** The number of players who hunt after a mission. With 2,000 hunts per second each tags somebody every 25 seconds. */
const HUNTERS = PLAYERS / 20;

export interface Recording {
  operation: string;
  /** The ids of the hunters in it. */
  hunters: readonly string[];
  calls: readonly Call[];
}

/** Units of one partition of the table or an index. */
export interface Load {
  place: string;
  units: number;
  /** The kind of partition, such as `gsi1 ROSTER#%`; null for a partition that only one player or request uses. */
  kind: string | null;
  /** Null for the only partition of its kind. */
  shard: number | null;
}

/** An item that concurrent transactions may write too. */
type Contended = { name: string } | { hunter: string } | { counterOf: number };

interface Use {
  loads: readonly Load[];
  item: Contended | null;
  /** Whether the game item is read for display, which a process does once a second. */
  isShownGame: boolean;
}

/** One step of a request: consecutive reads are sent together. */
export interface Step {
  kind: Call["kind"];
  uses: readonly Use[];
}

export interface Recipe {
  operation: string;
  steps: readonly Step[];
}

/** Lists that are spread over the shards. */
const SHARDED =
  /^(COUNT|INFECTIONS|INTERACTIONS|KILLS|LOGS|NOTIFICATIONS|ROSTER|SECRET#SUBSCRIPTIONS|ZOMBIES)#(\d+)$/;
const GAME = keys.game.pk;
/** Lists that are not spread: of scheduled notifications, which each sweep reads once, alerts, disputes, statistics and words. */
const UNSPREAD = [ALERTS_LIST, SCHEDULED_LIST, DISPUTES_LIST, STATISTICS_LIST, WORDS_LIST];
/** Partitions of one player or one request, and the join codes, of which a request reads one; none reaches its limit. */
const OWN = /^(ALIAS|CODE|EMAIL|REF|DISPUTE|INFECTED_BY|JOB|LOOK|PLAYER|SECRET)#/;

/** @throws Error for a key of an unknown kind */
const loadOf = ({ place, pk, units }: Part): Load => {
  const prefix = place === "table" ? "" : `${place} `;
  if (pk === GAME || UNSPREAD.includes(pk)) return { place, units, kind: `${prefix}${pk}`, shard: null };
  const [, list, shard] = SHARDED.exec(pk) ?? [];
  if (list !== undefined) return { place, units, kind: `${prefix}${list}#%`, shard: Number(shard) };
  if (!OWN.test(pk)) throw new Error(`${pk}: add this kind of key to bench/scale/requests.ts`);
  return { place, units, kind: null, shard: null };
};

const itemOf = (pk: string, sk: string | undefined, hunters: readonly string[]): Contended | null => {
  if (sk === undefined) return null;
  if (pk === GAME) return { name: sk };
  const hunter = hunters.find((id) => keys.player(id).pk === pk && keys.player(id).sk === sk);
  if (hunter !== undefined) return { hunter };
  const [shard] = sk.split("#").map(Number);
  return shard !== undefined && pk === countersList(shard) ? { counterOf: shard } : null;
};

export const recipeOf = ({ operation, hunters, calls }: Recording): Recipe => {
  const steps: Step[] = [];
  for (const { kind, touches } of calls) {
    const uses = touches.map(({ parts, sk, isShownGame = false }) => ({
      loads: parts.map(loadOf),
      item: itemOf(parts[0]?.pk ?? "", sk, hunters),
      isShownGame,
    }));
    const last = steps.at(-1);
    if (kind === "read" && last?.kind === "read") {
      steps[steps.length - 1] = { kind, uses: [...last.uses, ...uses] };
    } else steps.push({ kind, uses });
  }
  return { operation, steps };
};

export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  fraction: () => number;
  /** Returns an integer from 0 up to, but not including, `bound`. */
  below: (bound: number) => number;
}

/** Chooses the names of partitions and items for one repetition of a request. */
export const makeReplay = (shards: number, { below }: Random) => {
  // All shards are rotated by the same number, so that a read of all shards still reads each shard once.
  const offset = below(shards);
  const shardOf = (shard: number): number => (shard + offset) % shards;
  const slot = below(COUNTER_SLOTS);
  const hunters = new Map<string, number>();
  return {
    partitionOf: ({ kind, shard }: Load): string | null =>
      kind === null || shard === null ? kind : `${kind} ${shardOf(shard)}`,
    itemOf({ item }: Use): string | null {
      if (item === null) return null;
      if ("name" in item) return item.name;
      if ("counterOf" in item) return `counter ${shardOf(item.counterOf)} ${slot}`;
      const hunter = hunters.get(item.hunter) ?? below(HUNTERS);
      hunters.set(item.hunter, hunter);
      return `hunter ${hunter}`;
    },
  };
};

export type Replay = ReturnType<typeof makeReplay>;
