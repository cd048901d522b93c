/** The commands of the battery's model, as fast-check draws, runs and shrinks them. */
import fc from "fast-check";
import type { Deeds } from "./actors.ts";
import * as deeds from "./deeds.ts";
import { Dice } from "./dice.ts";
import { lookAround } from "./looks.ts";
import * as people from "./people.ts";
import { countKind, type Stats } from "./stats.ts";
import type { World } from "./world.ts";

type Plan = (world: World, dice: Dice) => Deeds;

/** Each kind of command, and how often it is drawn. */
const KINDS: Record<string, [weight: number, plan: Plan]> = {
  hunt: [20, deeds.hunt],
  guess_codes: [1, deeds.guessCodes],
  corpsify: [3, deeds.upon("corpsify", "human", "zombie")],
  cure: [5, deeds.upon("cure", "zombie")],
  revive_h: [6, deeds.upon("revive_h", "corpse", "spectator")],
  revive_z: [6, deeds.upon("revive_z", "corpse", "spectator")],
  feed_player: [4, deeds.upon("feed_player", "zombie")],
  feed: [3, deeds.feedMany],
  zombies_add_day: [3, deeds.addDay],
  pause_game: [2, deeds.pause],
  resume_game: [6, deeds.resume],
  set_checkpoint: [2, deeds.setCheckpoint],
  player_at_checkpoint: [5, deeds.passCheckpoint],
  kill_all: [2, deeds.killAll],
  void_hunt: [7, deeds.voidHunt],
  sweep: [4, deeds.sweep],
  time: [10, deeds.time],
  new: [4, people.join],
  login: [2, people.login],
  wrong_password: [2, people.guess],
  logout: [2, people.logout],
  change_password: [2, people.changePassword],
  recover_password: [1, people.recover],
  redeem_code: [2, people.redeem],
  delete_player: [2, people.leave],
  remove_player: [2, people.remove],
  edit_player: [3, people.edit],
  admin_edit_player: [4, people.editAnother],
  set_pfp: [2, people.setPicture],
  subscribe: [2, people.subscribe],
  unsubscribe: [1, people.unsubscribe],
  again: [5, people.again],
  trespass: [2, people.trespass],
};

export const KIND_NAMES: readonly string[] = Object.keys(KINDS);

/** Does what a plan says, one deed after the other. */
export const carryOut = async (world: World, plan: Deeds): Promise<boolean> => {
  for (let next = plan.next(); ; ) {
    if (next.done === true) return next.value;
    next = plan.next(await world.perform(next.value));
  }
};

/** So many of a hundred steps are followed by a look at one of the views. */
const LOOKS = 25;

class Command implements fc.AsyncCommand<object, World> {
  readonly #kind: string;
  readonly #numbers: readonly number[];
  readonly #stats: Stats;

  constructor(kind: string, numbers: readonly number[], stats: Stats) {
    this.#kind = kind;
    this.#numbers = numbers;
    this.#stats = stats;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, world: World): Promise<void> {
    const plan = KINDS[this.#kind]?.[1];
    if (plan === undefined) throw new Error(`no command ${this.#kind}`);
    const dice = new Dice(this.#numbers);
    world.says(this.#kind);
    await world.perform(deeds.moment(dice));
    const succeeded = await carryOut(world, plan(world, dice));
    if (dice.chance(LOOKS)) await carryOut(world, lookAround(world, dice));
    countKind(this.#stats, this.#kind, succeeded);
  }

  toString(): string {
    return `${this.#kind}(${this.#numbers.join(" ")})`;
  }
}

const MOST_COMMANDS = 40;
/** Sequences that are drawn have at least so many; shrinking makes them as short as it can. */
const FEWEST_COMMANDS = 20;

const NUMBERS = 12;

type Commands = Iterable<fc.AsyncCommand<object, World>>;

/** Draws again what is too short, and shrinks it like any other. */
class Long extends fc.Arbitrary<Commands> {
  readonly #any: fc.Arbitrary<Commands>;

  constructor(any: fc.Arbitrary<Commands>) {
    super();
    this.#any = any;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Commands> {
    for (;;) {
      const drawn = this.#any.generate(random, bias);
      if ([...drawn.value_].length >= FEWEST_COMMANDS) return drawn;
    }
  }

  override canShrinkWithoutContext(value: unknown): value is Commands {
    return this.#any.canShrinkWithoutContext(value);
  }

  override shrink(value: Commands, context: unknown): fc.Stream<fc.Value<Commands>> {
    return this.#any.shrink(value, context);
  }
}

/** Sequences of commands, long ones. */
export const sequences = (stats: Stats): fc.Arbitrary<Commands> => {
  const numbers = fc.array(fc.nat(9_999), { minLength: NUMBERS, maxLength: NUMBERS, size: "max" });
  const kinds = Object.entries(KINDS).map(([kind, [weight]]) => ({
    weight,
    arbitrary: numbers.map((drawn) => new Command(kind, drawn, stats)),
  }));
  return new Long(fc.commands([fc.oneof(...kinds)], { maxCommands: MOST_COMMANDS, size: "max" }));
};
