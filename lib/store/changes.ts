/** Converts the changes that a command has decided on into the writes of one transaction. */
import { NEW_GAME } from "../domain/game/game.ts";
import type { Outcome, PlayerChange, ZombieChange } from "../domain/outcome.ts";
import type { Player, State } from "../domain/players/player.ts";
import { counterOf } from "../domain/players/states.ts";
import { coverOfLife, withCovers } from "../domain/players/visibility.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { splitNotes } from "./hunts/huntNotes.ts";
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
import { randomShard, shardOfId } from "./lists.ts";
import { type CurrentGame, isShownGame } from "./shownGame.ts";

/** Changes that are written together or not at all. */
export interface Changes extends Partial<Outcome> {
  /**
   * The game that the decision is based on; by default `game.before`. Its `rev` is stored with every
   * written player as `seen`, and new list entries are spread over its shards; without a game, they go to the first.
   */
  basedOn?: CurrentGame | undefined;
  log?: LogEntry;
  /** Additional writes: credentials, sessions, jobs. */
  writes?: Write[];
}

/** Whether an account has become that of another player, who has come back (decision 85). */
const isMerged = ({ before, after }: PlayerChange): boolean =>
  before !== null && after !== null && before.player_id !== after.player_id;

/** A player's names as one text, for comparison. */
const namesOf = (player: Player | null): string =>
  player === null
    ? ""
    : JSON.stringify([
        ...[player.first_name, player.last_name, player.email, player.alias],
        ...player.former_aliases,
      ]);

/**
 * Writes the alias guards, which keep aliases unique, and the search words of a player's names, and removes those that
 * are no longer needed.
 */
const guardWrites = async ({ before, after }: PlayerChange): Promise<Write[]> => {
  if (namesOf(before) === namesOf(after) && !isMerged({ before, after })) return [];
  // Imported on demand: the map of look-alike characters is large, and few functions change an alias.
  const { guardsOf, isSameGuard } = await import("./accounts/aliasGuards.ts");
  const [old, current] = [guardsOf(before), guardsOf(after)];
  const removed = [...old].flatMap(([name, guard]) => (current.has(name) ? [] : [guard]));
  const written = [...current].filter(([name, guard]) => !isSameGuard(guard, old.get(name)));
  return [
    ...removed.map(({ pk, sk }): Write => ({ remove: { pk, sk } })),
    // Guards that the player already has need no condition: they change only together with the player's item.
    ...written.map(
      ([name, guard]): Write => ({ put: guard, ...(old.has(name) ? {} : { expect: "absent" }) }),
    ),
  ];
};

/** The id of a player about whom game masters have something to decide. */
const reviewedId = (player: Player | null): string | null =>
  player?.review !== undefined && player.review.length > 0 ? player.player_id : null;

/** Lists a player for game masters while they have something to decide about the player. */
const reviewWrites = ({ before, after }: PlayerChange): Write[] => {
  const [was, is] = [reviewedId(before), reviewedId(after)];
  if (was === is) return [];
  return [
    ...(was === null ? [] : [{ remove: keys.review(was) }]),
    ...(is === null ? [] : [{ put: { ...keys.review(is), player_id: is } }]),
  ];
};

/** The name of a player in past seasons; `null` if they are not named there. */
const pastNameOf = (player: Player | null): string | null =>
  player?.named_in_past === true ? player.alias : null;

/** Lists the alias of a player who is named in past seasons. */
const pastNameWrites = ({ before, after }: PlayerChange): Write[] => {
  const [was, is] = [pastNameOf(before), pastNameOf(after)];
  const isSamePlayer = before?.player_id === after?.player_id;
  if (was === is && isSamePlayer) return [];
  return [
    ...(was !== null && before !== null && !(isSamePlayer && is !== null)
      ? [{ remove: keys.pastName(before.player_id) }]
      : []),
    ...(is === null || after === null ? [] : [{ put: { ...keys.pastName(after.player_id), alias: is } }]),
  ];
};

const playerWrites = async (change: PlayerChange, gameRev: number): Promise<Write[]> => {
  const { before, after } = change;
  const isNew = before === null || isMerged(change);
  const writes = [...(await guardWrites(change)), ...reviewWrites(change), ...pastNameWrites(change)];
  if (before !== null && (after === null || isNew))
    writes.push({ remove: keys.player(before.player_id), expect: { rev: before.rev } });
  if (after === null) return writes;
  // The count of a player who has come back continues.
  const rev = (isNew ? after.rev : before.rev) + 1;
  const expect = isNew ? "absent" : { rev: before.rev };
  writes.push({ put: playerItem({ ...after, rev, seen: Math.max(after.seen, gameRev) }), expect });
  const { player_id, cover } = after;
  // The player has become a hidden original zombie (decision 55).
  if (cover !== null && cover.infection_id !== before?.cover?.infection_id) {
    const { infection_id, since } = cover;
    writes.push({ put: { ...keys.original(infection_id), infection_id, player_id, since } });
  }
  if (after.tag_code !== null && after.tag_code !== before?.tag_code && change.isCodeStored !== true) {
    const code = { ...keys.code(after.tag_code), player_id };
    writes.push({ put: code, expect: "absent" });
  }
  const known = before === null ? null : coverOfLife(before);
  // To others, a hidden original zombie who becomes human stays one and gets a new tag code from a game master. A new
  // season ends the cover, and removes all earlier codes.
  if (after.state === "human" && cover !== null && known?.state === "human" && known.tag_code !== "") {
    const replaced_at = after.code_since;
    writes.push({ set: keys.code(known.tag_code), to: { player_id, replaced_at }, by: { rev: 1 } });
  }
  return writes;
};

/**
 * Updates a zombie that was read from an index only. The write fails if its deadline has changed, or if a command that had
 * read a newer game has written the player.
 */
const zombieWrite = (change: ZombieChange, gameRev: number): Write => {
  const { player_id: id, deadline, epoch } = change.zombie;
  return {
    set: keys.player(id),
    to: { ...zombieFields(change), seen: gameRev },
    by: { rev: 1 },
    expect: { is: { state: "zombie", deadline, epoch }, atMost: { seen: gameRev } },
  };
};

const counterWrites = (
  { players, zombies }: { players: readonly PlayerChange[]; zombies: readonly ZombieChange[] },
  shard: number,
): Write[] => {
  const by: Partial<Counts> = {};
  const count = (state: State | undefined, sign: 1 | -1) => {
    if (state === undefined) return;
    const counter = counterOf(state);
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

/** Whether a change has no effect. Most unchanged fields are identical objects, so they are rarely serialized. */
const isSame = ({ before, after }: PlayerChange): boolean => {
  if (before === null || after === null) return before === after;
  return Object.keys({ ...before, ...after }).every(
    (name) => before[name] === after[name] || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  );
};

/**
 * The writes of changes. Each item that was read is written on condition that it is unchanged.
 * @throws ConditionFailed if one player occurs twice
 */
export const writesOf = async (changes: Changes): Promise<Write[]> => {
  const { players = [], zombies = [], interactions = [], game, log, writes = [] } = changes;
  const basedOn = changes.basedOn ?? game?.before ?? NEW_GAME;
  if (isShownGame(basedOn) || isShownGame(game?.before ?? basedOn))
    throw new Error("a command used a game that was read for display");
  const ids = [
    ...players
      .flatMap(({ before, after }) => [...new Set([before, after].map((one) => one?.player_id))])
      .filter(Boolean),
    ...zombies.map(({ zombie }) => zombie.player_id),
  ];
  // During a change of alias, one player can be found by both names: the caller must read again.
  if (new Set(ids).size < ids.length) throw new ConditionFailed("one player twice");
  const changedPlayers = players.filter((change) => !isSame(change));
  const writesOfPlayers = await Promise.all(
    changedPlayers.map((change) => playerWrites(change, basedOn.rev)),
  );
  return [
    ...writesOfPlayers.flat(),
    ...zombies.map((change) => zombieWrite(change, basedOn.rev)),
    ...withCovers(interactions, changedPlayers)
      .map(splitNotes)
      .flatMap(({ interaction, noteItem }): Write[] => [
        {
          put: interactionItem(interaction, shardOfId(interaction.interaction_id, basedOn.shards)),
          hasNewKey: true,
        },
        ...(noteItem === null ? [] : [{ put: noteItem }]),
      ]),
    ...(game === undefined
      ? []
      : [
          {
            put: gameItem({ ...game.after, rev: game.before.rev + 1 }),
            expect: game.before.rev === 0 ? "absent" : { rev: game.before.rev },
          } satisfies Write,
        ]),
    ...counterWrites({ players: changedPlayers, zombies }, randomShard(basedOn)),
    ...(log === undefined
      ? []
      : [{ put: logItem(log, randomShard(basedOn)), hasNewKey: true } satisfies Write]),
    ...writes,
  ];
};
