/** Converts the changes that a command decided into the writes of one transaction. */
import type { Outcome, PlayerChange, ZombieChange } from "../domain/outcome.ts";
import { STATES, type State } from "../domain/player.ts";
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

/** Changes that are written together or not at all. */
export interface Changes extends Partial<Outcome> {
  /** The `rev` of the game that the decision is based on. It is stored with every written player. */
  seen?: number;
  log?: LogEntry;
  /** Additional writes: credentials, sessions, jobs. */
  writes?: Write[];
}

/** Removes the guards of the old alias and adds those of the new one. Guards of both stay. */
const guardWrites = async ({ before, after }: PlayerChange): Promise<Write[]> => {
  if (before?.alias === after?.alias) return [];
  // Imported on demand: the table of look-alikes is large, and few functions change an alias.
  const { aliasKeys } = await import("./aliasGuards.ts");
  const old = new Map(aliasKeys(before).map((key) => [key.pk, key]));
  const current = new Map(aliasKeys(after).map((key) => [key.pk, key]));
  return [
    ...[...old.values()].filter(({ pk }) => !current.has(pk)).map((key): Write => ({ remove: key })),
    ...[...current.values()]
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

/** Writes a zombie from an index, on condition that it is unchanged and was not written with a newer game. */
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
    const { counter } = STATES[state];
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

/** Whether a change has no effect. Unchanged fields are mostly identical, which avoids serializing them. */
const isSame = ({ before, after }: PlayerChange): boolean => {
  if (before === null || after === null) return before === after;
  return Object.keys({ ...before, ...after }).every(
    (name) => before[name] === after[name] || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  );
};

/**
 * The writes of changes. Each item that was read is written on condition that it is unchanged.
 * @param shards the number of shards for new list entries
 * @throws ConditionFailed if one player occurs twice
 */
export const writesOf = async (changes: Changes, shards: number): Promise<Write[]> => {
  const { players = [], zombies = [], interactions = [], game, log, seen = 0, writes = [] } = changes;
  const shard = () => Math.floor(Math.random() * shards);
  const ids = [
    ...players.map(({ before, after }) => before?.player_id ?? after?.player_id),
    ...zombies.map(({ zombie }) => zombie.player_id),
  ];
  // One player was found by two names during a change of the alias: the caller must read again.
  if (new Set(ids).size < ids.length) throw new ConditionFailed("one player twice");
  const changedPlayers = players.filter((change) => !isSame(change));
  const writesOfPlayers = await Promise.all(changedPlayers.map((change) => playerWrites(change, seen)));
  return [
    ...writesOfPlayers.flat(),
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
    ...counterWrites({ players: changedPlayers, zombies }, shard()),
    ...(log === undefined ? [] : [{ put: logItem(log, shard()) } satisfies Write]),
    ...writes,
  ];
};
