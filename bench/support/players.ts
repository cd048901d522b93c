/** Opens games of any size, in which a third of the players or all are zombies who infected one another. */
import { randomUUID } from "node:crypto";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { newSpectator, type Player } from "../../lib/domain/players/player.ts";
import { asHuman, asZombie, newInteraction } from "../../lib/domain/players/transitions.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { guardsOf } from "../../lib/store/accounts/aliasGuards.ts";
import { interactionItem, playerItem } from "../../lib/store/items.ts";
import { COUNTER_SLOTS, firstIdAt, keys } from "../../lib/store/keys.ts";
import { fill } from "../../tests/support/table.ts";
import { type Account, type Game, type GameOptions, openGame } from "./game.ts";

/** A game, and accounts to play it with. */
export interface Fixture {
  game: Game;
  gm: Account;
  /** The players of the table, as they registered. */
  players: readonly Player[];
  hunter: Account;
  /** Registers a new human each time. */
  human: () => Promise<Account>;
  zombie: () => Promise<Account>;
}

/** Returns the sizes of the games that a bench compares. */
export const sizesFor = (quick: boolean): number[] => (quick ? [1_000] : [1_000, 10_000, 100_000]);

/** The number of players that each zombie infected. */
const BRANCHES = 3;

interface Options extends GameOptions {
  /** How many hours ago the nth zombie was fed; by default nobody is hungry. */
  fedHoursAgo?: (nth: number) => number;
  /** How many days the game has lasted. Then its infections are spread over them, and each zombie was fed four times. */
  days?: number;
  /** Whether players also have names, alias guards and search words. */
  named?: boolean;
  /** Every how many players one is a zombie; by default 3. */
  zombieEvery?: number;
}

const FEEDINGS = 4;

const namesOf = (n: number) => ({
  first_name: `First${n}`,
  last_name: `Last${n}`,
  email: `player.${n}@campus.example.org`,
  wants_original: true,
});

/** Writes players into the table, without the service; without alias guards, which few benches need, unless `named`. */
const fillGame = async (
  { services, place }: Game,
  size: number,
  { fedHoursAgo = () => 10, days, named = false, zombieEvery = 3 }: Options,
): Promise<Player[]> => {
  const game = await services.store.game();
  const now = services.clock();
  const began = now - (days === undefined ? 40 * HOUR : days * DAY);
  const step = days === undefined ? 1 : (days * DAY) / size;
  let ids = 0;
  /** In a game that has lasted days, an id contains the time of its event. */
  const contextAt = (time: number): CommandContext => {
    const usual = commandContext(services, time);
    if (days === undefined) return usual;
    ids += 1;
    const id = `${firstIdAt(time).slice(0, -12)}${String(ids).padStart(12, "0")}`;
    return { ...usual, newId: () => id };
  };
  const players: Player[] = [];
  const zombies: Player[] = [];
  const items = Array.from({ length: size }, (_, n) => {
    const context = contextAt(began + n * step);
    const shard = n % game.shards;
    const profile = { alias: `Player ${n} x`, ...(named ? namesOf(n) : {}) };
    const account = newSpectator(randomUUID(), shard, profile, rfc3339(began));
    const human = asHuman(account, context);
    const guards = named ? [...guardsOf(human).values()] : [];
    players.push(human);
    if (n % zombieEvery > 0) return [playerItem(human), ...guards];
    const hunter = zombies[Math.floor((zombies.length - 1) / BRANCHES)];
    const kind = hunter === undefined ? "revive_zombie" : "hunt";
    const interaction = newInteraction(kind, human, hunter?.player_id ?? null, context);
    const { interaction_id: id, at, actor: by } = interaction;
    const feeding = { ...context, now: now + n - fedHoursAgo(zombies.length) * HOUR };
    const infected = asZombie(human, game, feeding, { id, at, by });
    const zombie = { ...infected, kills: BRANCHES, last_kill_at: at };
    zombies.push(zombie);
    const feedings = Array.from({ length: days === undefined ? 0 : FEEDINGS }, () => {
      const time = context.now + Math.random() * (now - context.now);
      return interactionItem(newInteraction("feed", zombie, null, contextAt(time)), shard);
    });
    const infection = { ...interaction, parent: hunter?.infection_id ?? null };
    return [playerItem(zombie), ...guards, interactionItem(infection, shard), ...feedings];
  });
  // All slots of the counters exist, as after a week.
  const counters = Array.from({ length: COUNTER_SLOTS * game.shards }, (_, n) => ({
    ...keys.count(Math.floor(n / COUNTER_SLOTS), n % COUNTER_SLOTS),
    zombies: n === 0 ? zombies.length : 0,
    humans: n === 0 ? size - zombies.length : 0,
    corpses: 0,
    spectators: 0,
  }));
  await fill(place, [...items.flat(), ...counters]);
  return players;
};

/** Opens a game with `size` players, runs work in it, and closes it. */
export const withPlayers = async <T>(
  size: number,
  options: Options,
  work: (fixture: Fixture) => Promise<T>,
): Promise<T> => {
  const game = await openGame(options);
  try {
    const gm = await game.admin("Game Master");
    const players = await fillGame(game, size, options);
    let joined = 0;
    const human = (): Promise<Account> => {
      joined += 1;
      return game.join(`Newcomer ${joined} y`);
    };
    const zombie = async (): Promise<Account> => {
      const account = await human();
      for (const command of ["corpsify", "revive_z"]) {
        await game.call(`POST /admin/${command}/{url_id}`, { as: gm, body: { player_id: account.id } });
      }
      return account;
    };
    return await work({ game, gm, players, hunter: await zombie(), human, zombie });
  } finally {
    await game.close();
  }
};
