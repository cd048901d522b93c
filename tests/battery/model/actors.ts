/** The players of a command: how they are chosen and authenticated, and their requests. */
import type { Dice } from "./dice.ts";
import { NOBODY, waysToWrite } from "./names.ts";
import type { Expected, Input, Ref, Request, Route } from "./request.ts";
import { isLive } from "./sessions.ts";
import type { Model, Player } from "./state.ts";

/** An action: a request, passing time, or the scheduled sweep. */
export type Action = Request | { pass: number } | { sweep: true };

/** The actions of a command. It receives the result of each, and returns whether the command succeeded. */
export type Actions<T = boolean> = Generator<Action, T, Expected>;

/** What a command does. */
export type Plan = (m: Model, dice: Dice) => Actions;

/** Who sends a request, and how. */
type Credentials = Pick<Request, "by" | "token" | "key">;

/** A caller without credentials. */
export const anonymous = (key: string | null = null): Credentials => ({ by: null, token: null, key });

/** Makes a request. The types of route and body fit by the parameters; their union does not show it. */
export const requestOf = <R extends Route>(route: R, credentials: Credentials, body: Input<R>): Request =>
  ({ ...credentials, route, body }) as Request;

/** Sends a request, and returns whether it succeeded. */
export function* send<R extends Route>(route: R, credentials: Credentials, body: Input<R>): Actions {
  return (yield requestOf(route, credentials, body)).status < 400;
}

export const mastersOf = ({ players }: Model): Player[] => players.filter(({ is_admin }) => is_admin);

/** A random spelling of an alias. */
export const spellAlias = (dice: Dice, alias: string): string => dice.maybeOne(waysToWrite(alias)) ?? alias;

/** How a request names a player; sometimes one who does not exist. */
export const refTo = (dice: Dice, { id, alias }: Player): Ref => {
  if (dice.chance(3)) return { alias: NOBODY };
  return dice.chance(50) ? { alias: spellAlias(dice, alias) } : { player_id: id };
};

/** An Idempotency-Key, or none. */
export const maybeKey = (m: Model, dice: Dice): string | null => (dice.chance(35) ? `key-${m.step}` : null);

/** The credentials of a player: of an existing session, or of a new one. */
export function* credentialsOf(m: Model, dice: Dice, player: Player): Actions<Credentials> {
  const live = () => m.sessions.filter((one) => one.player === player.id && isLive(m, one, player));
  const { alias, password } = player;
  if (live().length === 0) yield requestOf("POST /login", anonymous(), { alias, password });
  const key = maybeKey(m, dice);
  return { by: player.id, token: dice.maybeOne(live())?.token ?? null, key };
}

/** The credentials of a random game master. */
export function* masterCredentials(m: Model, dice: Dice): Actions<Credentials> {
  return yield* credentialsOf(m, dice, dice.one(mastersOf(m)));
}

/** A player's request. */
export const byPlayer = <R extends Route>(
  route: R,
  choose: (m: Model, dice: Dice) => Player,
  bodyOf: (m: Model, dice: Dice, player: Player) => Input<R>,
): Plan =>
  function* (m, dice) {
    const player = choose(m, dice);
    const body = bodyOf(m, dice, player);
    return yield* send(route, yield* credentialsOf(m, dice, player), body);
  };

/** The last part of the path of a game master's route. */
type CommandOf<R> = R extends `POST /admin/${infer C}/{url_id}` ? C : never;
export type MasterCommand = CommandOf<Route>;

/** A game master's request. */
export const byMaster = <C extends MasterCommand>(
  command: C,
  bodyOf: (m: Model, dice: Dice) => Input<`POST /admin/${C}/{url_id}`>,
): Plan => byPlayer(`POST /admin/${command}/{url_id}`, (m, dice) => dice.one(mastersOf(m)), bodyOf);

/** Makes a plan that is mostly replaced by another one when its command would be rejected. */
export const insteadIf =
  (isPointless: (m: Model) => boolean, other: Plan, plan: Plan): Plan =>
  (m, dice) =>
    isPointless(m) && !dice.chance(20) ? other(m, dice) : plan(m, dice);
