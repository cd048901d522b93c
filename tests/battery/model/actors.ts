/** Who does what a command does: how they are chosen and get in, and the requests that they send. */
import type { Dice } from "./dice.ts";
import { NOBODY, waysToWrite } from "./names.ts";
import type { Bodies, Expected, Ref, Request, Route } from "./request.ts";
import { isLive } from "./sessions.ts";
import type { Model, Player, State } from "./state.ts";
import type { Action, World } from "./world.ts";

/** A command's actions, one after the other; gets each result, and returns whether the command succeeded. */
export type Actions<T = boolean> = Generator<Action, T, Expected>;

/** Who sends a request, and how. */
export type Credentials = Pick<Request, "by" | "token" | "key" | "from">;

const HOME = "127.0.0.1";

/** This machine's own addresses: whatever else has an address is bound by it, at figures that no sequence reaches. */
const ADDRESSES = [HOME, "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"] as const;

export const addressBy = (dice: Dice): string => (dice.chance(25) ? dice.pick(ADDRESSES) : HOME);

/** Credentials of a caller who has none. */
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

/** A player as a request names them; sometimes one who does not exist. */
export const refTo = (dice: Dice, { id, alias }: Player): Ref => {
  if (dice.chance(3)) return { alias: NOBODY };
  return dice.chance(50) ? { alias: aliasBy(dice, alias) } : { player_id: id };
};

/** An alias in one of the ways in which it is written. */
export const aliasBy = (dice: Dice, alias: string): string => dice.of(waysToWrite(alias)) ?? alias;

const liveTokens = (m: Model, player: Player): string[] =>
  m.sessions.filter((one) => one.player === player.id && isLive(m, one, player)).map(({ token }) => token);

/** A player's credentials: of one of their sessions, or after logging in. */
export function* credentialsOf(world: World, dice: Dice, player: Player): Actions<Credentials> {
  if (liveTokens(world.model(), player).length === 0) {
    const { alias, password } = player;
    yield requestOf("POST /login", anonymous(), { alias, password });
  }
  const key = dice.chance(35) ? `key-${world.fresh()}` : null;
  const token = dice.of(liveTokens(world.model(), player)) ?? null;
  return { by: player.id, token, key, from: HOME };
}

/** Some game master's credentials. */
export function* masterCredentials(world: World, dice: Dice): Actions<Credentials> {
  return yield* credentialsOf(
    world,
    dice,
    dice.one(world.model().players.filter(({ is_admin }) => is_admin)),
  );
}
