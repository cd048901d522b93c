/** A turn in the model's game: random choices from a few numbers, and the requests that players make because of them. */
import { NOBODY, waysToWrite } from "./names.ts";
import type { Expected, Input, Ref, Request, Route } from "./request.ts";
import { isLive } from "./sessions.ts";
import type { Model, Player, State } from "./state.ts";

/** An action: a request, passing time, or the scheduled sweep. */
export type Action = Request | { pass: number } | { sweep: true };

/** The actions of a command. It receives the result of each, and returns whether the command succeeded. */
export type Actions<T = boolean> = Generator<Action, T, Expected>;

/** What a command does. */
export type Plan = (t: Turn) => Actions;

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

/** The last part of the path of a game master's route. */
type CommandOf<R> = R extends `POST /admin/${infer C}/{url_id}` ? C : never;
export type MasterCommand = CommandOf<Route>;

/** Random choices shrink to 0, which is the simplest choice. */
export class Turn {
  readonly m: Model;
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(m: Model, numbers: readonly number[]) {
    this.m = m;
    this.#numbers = numbers;
  }

  /** A number below a bound. */
  below(bound: number): number {
    const number = this.#numbers[this.#at % this.#numbers.length] ?? 0;
    // A number that is used again gives another value.
    const round = Math.floor(this.#at / this.#numbers.length);
    this.#at += 1;
    return (number + round * 31 * Math.sign(number)) % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** Some fields of a request, or none of them. */
  maybe<T extends object>(percent: number, fields: T): Partial<T> {
    return this.chance(percent) ? fields : {};
  }

  pick<const T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] ?? from[0];
  }

  /** One of these; undefined if there are none. */
  maybeOne<T>(from: readonly T[]): T | undefined {
    return from[this.below(Math.max(1, from.length))];
  }

  /** One of these. @throws Error if there are none */
  one<T>(from: readonly T[]): T {
    const one = this.maybeOne(from);
    if (one === undefined) throw new Error("there is nothing to choose from");
    return one;
  }

  /** Usually one of the fitting values, sometimes any. @throws Error if there are none */
  prefer<T>(fitting: readonly T[], any: readonly T[]): T {
    return this.one(this.chance(7) || fitting.length === 0 ? any : fitting);
  }

  /** Mostly a player in one of these states. */
  playerIn(...states: State[]): Player {
    return this.prefer(
      this.m.players.filter(({ state }) => states.includes(state)),
      this.m.players,
    );
  }

  get masters(): Player[] {
    return this.m.players.filter(({ is_admin }) => is_admin);
  }

  /** A random spelling of an alias. */
  spell(alias: string): string {
    return this.maybeOne(waysToWrite(alias)) ?? alias;
  }

  /** How a request names a player; sometimes one who does not exist. */
  ref({ id, alias }: Player): Ref {
    if (this.chance(3)) return { alias: NOBODY };
    return this.chance(50) ? { alias: this.spell(alias) } : { player_id: id };
  }

  /** An Idempotency-Key, or none. */
  maybeKey(): string | null {
    return this.chance(35) ? `key-${this.m.step}` : null;
  }

  /** The credentials of a player: of an existing session, or of a new one. */
  *credentialsOf(player: Player): Actions<Credentials> {
    const { m } = this;
    const live = () => m.sessions.filter((one) => one.player === player.id && isLive(m, one, player));
    const { alias, password } = player;
    if (live().length === 0) yield requestOf("POST /login", anonymous(), { alias, password });
    const key = this.maybeKey();
    return { by: player.id, token: this.maybeOne(live())?.token ?? null, key };
  }

  /** A player's request. */
  *by<R extends Route>(player: Player, route: R, body: Input<R>): Actions {
    return yield* send(route, yield* this.credentialsOf(player), body);
  }

  /** A request of a random game master. */
  master<C extends MasterCommand>(command: C, body: Input<`POST /admin/${C}/{url_id}`>): Actions {
    return this.by(this.one(this.masters), `POST /admin/${command}/{url_id}`, body);
  }
}

/** Makes a plan that is mostly replaced by another one when its command would be rejected. */
export const insteadIf =
  (isPointless: (m: Model) => boolean, other: Plan, plan: Plan): Plan =>
  (t) =>
    isPointless(t.m) && !t.chance(20) ? other(t) : plan(t);
