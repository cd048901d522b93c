/** The commands of the battery's model, as fast-check draws, runs and shrinks them. */
import fc from "fast-check";
import * as people from "./accountCommands.ts";
import type { Actions } from "./actors.ts";
import { Dice } from "./dice.ts";
import * as disputes from "./disputeCommands.ts";
import * as commands from "./gameCommands.ts";
import type { Stats } from "./stats.ts";
import { requestOneView } from "./views.ts";
import type { World } from "./world.ts";

/** Kinds of command: how often each is drawn, and what it does. */
export type Kinds = Record<string, [weight: number, plan: (world: World, dice: Dice) => Actions]>;

export const KINDS: Kinds = {
  hunt: [20, commands.hunt],
  report_tagged: [6, commands.reportTagged],
  name_hunter: [3, commands.nameHunter],
  dispute: [5, disputes.dispute],
  resolve_dispute: [4, disputes.resolve],
  enter_hunt: [5, commands.enterHunt],
  new_tag_code: [2, commands.newTagCode],
  lift_lockout: [1, commands.liftLockout],
  guess_codes: [1, commands.guessCodes],
  corpsify: [3, commands.upon("corpsify", "human", "zombie")],
  make_spectator: [2, commands.upon("make_spectator", "human", "zombie", "corpse")],
  enrol: [1, commands.enrol],
  cure: [5, commands.upon("cure", "zombie")],
  revive_h: [6, commands.upon("revive_h", "corpse", "spectator")],
  revive_z: [6, commands.upon("revive_z", "corpse", "spectator")],
  feed_player: [4, commands.upon("feed_player", "zombie")],
  feed: [3, commands.feedMany],
  draw_originals: [2, commands.drawOriginals],
  feed_group: [2, commands.uponGroup("feed_group")],
  revive_all: [3, commands.uponGroup("revive_all")],
  zombies_add_day: [3, commands.addDay],
  pause_game: [2, commands.pause],
  resume_game: [6, commands.resume],
  set_checkpoint: [2, commands.setCheckpoint],
  player_at_checkpoint: [5, commands.passCheckpoint],
  kill_all: [2, commands.killAll],
  undo_checkpoint: [2, commands.undoCheckpoint],
  void_hunt: [7, commands.voidHunt],
  sweep: [4, commands.sweep],
  time: [10, commands.wait],
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
  label: [2, people.label],
  set_pfp: [2, people.setPicture],
  subscribe: [2, people.subscribe],
  unsubscribe: [1, people.unsubscribe],
  again: [5, people.again],
  trespass: [2, people.trespass],
};

/** Runs the actions of a command. */
export const runActions = async (world: World, plan: Actions): Promise<boolean> => {
  for (let next = plan.next(); ; ) {
    if (next.done === true) return next.value;
    next = plan.next(await world.perform(next.value));
  }
};

/** Percentage of commands that are followed by a request for one of the views. */
const LOOKS = 25;

/** Numbers from which a command makes its choices. */
const NUMBERS = 12;

type Commands = Iterable<fc.AsyncCommand<object, World>>;

/**
 * Sequences of commands. Generated ones have at least `min` commands; shrinking may make them shorter.
 */
export const sequences = (
  stats: Stats,
  kinds: Kinds,
  { min, max }: { min: number; max: number },
): fc.Arbitrary<Commands> => {
  const numbers = fc.array(fc.nat(9_999), { minLength: NUMBERS, maxLength: NUMBERS, size: "max" });
  const drawn = Object.entries(kinds).map(([kind, [weight, plan]]) => ({
    weight,
    arbitrary: numbers.map(
      (choices): fc.AsyncCommand<object, World> => ({
        check: () => true,
        async run(_model, world) {
          const dice = new Dice(choices);
          world.note(kind);
          await world.perform({ pass: commands.shortWait(dice) });
          const succeeded = await runActions(world, plan(world, dice));
          if (dice.chance(LOOKS)) await runActions(world, requestOneView(world, dice));
          stats.steps += 1;
          stats.succeeded.set(kind, (stats.succeeded.get(kind) ?? 0) + (succeeded ? 1 : 0));
        },
        toString: () => `${kind}(${choices.join(" ")})`,
      }),
    ),
  }));
  const any: fc.Arbitrary<Commands> = fc.commands([fc.oneof(...drawn)], {
    maxCommands: max,
    size: "max",
  });
  return new (class extends fc.Arbitrary<Commands> {
    override generate(random: fc.Random, bias: number | undefined): fc.Value<Commands> {
      for (;;) {
        const drawn = any.generate(random, bias);
        if ([...drawn.value_].length >= min) return drawn;
      }
    }
    override canShrinkWithoutContext = (value: unknown): value is Commands =>
      any.canShrinkWithoutContext(value);
    override shrink = (value: Commands, context: unknown): fc.Stream<fc.Value<Commands>> =>
      any.shrink(value, context);
  })();
};
