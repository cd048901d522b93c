/** The players of a command: how they are chosen and authenticated, and their requests. */
import type { Dice } from "./dice.ts";
import { NOBODY, waysToWrite } from "./names.ts";
import type { Bodies, Expected, Ref, Request, Route } from "./request.ts";
import { isLive } from "./sessions.ts";
import type { Model, Player, State } from "./state.ts";
import type { Action, World } from "./world.ts";

/** The actions of a command. It receives the result of each, and returns whether the command succeeded. */
export type Actions<T = boolean> = Generator<Action, T, Expected>;

/** Who sends a request, and how. */
export type Credentials = Pick<Request, "by" | "token" | "key" | "from">;

const HOME = "127.0.0.1";

/** Loopback addresses: other addresses have rate limits, which no sequence reaches. */
const ADDRESSES = [HOME, "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"] as const;

export const addressBy = (dice: Dice): string => (dice.chance(25) ? dice.pick(ADDRESSES) : HOME);

/** A caller without credentials. */
export const anonymous = (from = HOME, key: string | null = null): Credentials => ({
  ...{ by: null, token: null, key, from },
});

/** Makes a request. The types of route and body fit by the parameters; their union does not show it. */
export const requestOf = <R extends Route>(route: R, who: Credentials, body: Bodies[R]): Request =>
  ({ ...who, route, body }) as Request;

/** Sends a request, and returns whether it succeeded. */
export function* send<R extends Route>(route: R, who: Credentials, body: Bodies[R]): Actions {
  return (yield requestOf(route, who, body)).status < 400;
}

export const inState = (m: Model, ...states: State[]): Player[] =>
  m.players.filter(({ state }) => states.includes(state));

/** How a request names a player; sometimes one who does not exist. */
export const refTo = (dice: Dice, { id, alias }: Player): Ref => {
  if (dice.chance(3)) return { alias: NOBODY };
  return dice.chance(50) ? { alias: aliasBy(dice, alias) } : { player_id: id };
};

/** A random spelling of an alias. */
export const aliasBy = (dice: Dice, alias: string): string => dice.of(waysToWrite(alias)) ?? alias;

const liveTokens = (m: Model, player: Player): string[] =>
  m.sessions.filter((one) => one.player === player.id && isLive(m, one, player)).map(({ token }) => token);

/** The credentials of a player: of an existing session, or of a new one. */
export function* credentialsOf(world: World, dice: Dice, player: Player): Actions<Credentials> {
  if (liveTokens(world.model(), player).length === 0) {
    const { alias, password } = player;
    yield requestOf("POST /login", anonymous(), { alias, password });
  }
  const key = dice.chance(35) ? `key-${world.fresh()}` : null;
  const token = dice.of(liveTokens(world.model(), player)) ?? null;
  return { by: player.id, token, key, from: HOME };
}

/** The credentials of a random game master. */
export function* masterCredentials(world: World, dice: Dice): Actions<Credentials> {
  return yield* credentialsOf(
    world,
    dice,
    dice.one(world.model().players.filter(({ is_admin }) => is_admin)),
  );
}
