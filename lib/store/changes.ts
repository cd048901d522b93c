/** Changes: what a command decided, as the writes of one transaction. */
import type { Outcome, PlayerChange, ZombieChange } from "../domain/outcome.ts";
import type { State } from "../domain/player.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { splitNotes } from "./huntNotes.ts";
import {
  type Counts,
  gameItem,
  interactionItem,
  type LogEntry,
  logItem,
  playerItem,
  zombieFields,
} from "./items.ts";
import { COUNTER_SLOTS, keys } from "./keys.ts";

/** What is to be written, all or none. */
export interface Changes extends Partial<Outcome> {
  /** `rev` of the game that this was judged by; every player written remembers it. */
  seen?: number;
  log?: LogEntry;
  /** Writes beside the game's own: credentials, sessions, jobs. */
  writes?: Write[];
}

/** The counter of each state. */
export const COUNTER_OF = {
  human: "humans",
  zombie: "zombies",
  corpse: "corpses",
  spectator: "spectators",
} as const satisfies Record<State, keyof Counts>;

/** Guards let go and taken; one that does not change is left alone. */
const guardWrites = async ({ before, after }: PlayerChange): Promise<Write[]> => {
  if (before?.alias === after?.alias) return [];
  // The table of look-alikes is large, and most functions never change an alias.
  const { aliasKeys } = await import("./aliasGuards.ts");
  const old = new Map(aliasKeys(before).map((key) => [key.pk, key]));
  const taken = new Map(aliasKeys(after).map((key) => [key.pk, key]));
  return [
    ...[...old.values()].filter(({ pk }) => !taken.has(pk)).map((key): Write => ({ remove: key })),
    ...[...taken.values()]
      .filter(({ pk }) => !old.has(pk))
      .map((key): Write => ({ put: { ...key, player_id: after?.player_id }, expect: "absent" })),
  ];
};

const playerWrites = async (change: PlayerChange, seen: number): Promise<Write[]> => {
  const { before, after } = change;
  const expect = before === null ? "absent" : { rev: before.rev };
  const writes = await guardWrites(change);
  if (after === null) {
    if (before !== null) writes.push({ remove: keys.player(before.player_id), expect });
    return writes;
  }
  const rev = (before?.rev ?? 0) + 1;
  writes.push({ put: playerItem({ ...after, rev, seen: Math.max(after.seen, seen) }), expect });
  if (after.tag_code !== null && after.tag_code !== before?.tag_code) {
    const code = { ...keys.code(after.tag_code), player_id: after.player_id };
    writes.push({ put: code, expect: "absent" });
  }
  return writes;
};

/** A zombie that was not read: written on condition that it is as proposed, and by nobody who knew a newer game. */
const zombieWrite = (change: ZombieChange, seen: number): Write => {
  const { player_id: id, deadline, epoch } = change.zombie;
  return {
    set: keys.player(id),
    to: { ...zombieFields(change), seen },
    by: { rev: 1 },
    expect: { is: { state: "zombie", deadline, epoch }, atMost: { seen } },
  };
};

const counterWrites = (
  { players, zombies }: { players: readonly PlayerChange[]; zombies: readonly ZombieChange[] },
  shard: number,
): Write[] => {
  const by: Partial<Counts> = {};
  const count = (state: State | undefined, sign: 1 | -1) => {
    if (state === undefined) return;
    const counter = COUNTER_OF[state];
    by[counter] = (by[counter] ?? 0) + sign;
  };
  for (const { before, after } of players) {
    count(before?.state, -1);
    count(after?.state, 1);
  }
  for (const { after } of zombies) {
    count("zombie", -1);
    count(after === null ? "corpse" : "zombie", 1);
  }
  const changed = Object.fromEntries(Object.entries(by).filter(([, value]) => value !== 0));
  if (Object.keys(changed).length === 0) return [];
  const slot = Math.floor(Math.random() * COUNTER_SLOTS);
  return [{ increase: keys.count(shard, slot), by: changed }];
};

/** Whether a change changes nothing. Fields that nobody has touched are the same values. */
const isSame = ({ before, after }: PlayerChange): boolean => {
  if (before === null || after === null) return before === after;
  return Object.keys({ ...before, ...after }).every(
    (name) => before[name] === after[name] || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  );
};

/**
 * The writes that changes come to. Each item that was read is written on condition that it is still as read.
 * @param shards how many shards new entries of lists are spread over
 */
export const writesOf = async (changes: Changes, shards: number): Promise<Write[]> => {
  const { players = [], zombies = [], interactions = [], game, log, seen = 0, writes = [] } = changes;
  const shard = () => Math.floor(Math.random() * shards);
  const ids = [
    ...players.map(({ before, after }) => before?.player_id ?? after?.player_id),
    ...zombies.map(({ zombie }) => zombie.player_id),
  ];
  // One player met under two names, in the middle of a change: whoever judged this is to read again.
  if (new Set(ids).size < ids.length) throw new ConditionFailed("one player twice");
  const moved = players.filter((change) => !isSame(change));
  const ofPlayers = await Promise.all(moved.map((change) => playerWrites(change, seen)));
  return [
    ...ofPlayers.flat(),
    ...zombies.map((change) => zombieWrite(change, seen)),
    ...interactions
      .map(splitNotes)
      .flatMap(({ interaction, annotation }): Write[] => [
        { put: interactionItem(interaction, shard()) },
        ...(annotation === null ? [] : [{ put: annotation }]),
      ]),
    ...(game === undefined
      ? []
      : [
          {
            put: gameItem({ ...game.after, rev: game.before.rev + 1 }),
            expect: game.before.rev === 0 ? "absent" : { rev: game.before.rev },
          } satisfies Write,
        ]),
    ...counterWrites({ players: moved, zombies }, shard()),
    ...(log === undefined ? [] : [{ put: logItem(log, shard()) } satisfies Write]),
    ...writes,
  ];
};
