/**
 * The errors of commands in a wrong state. The battery's model tests all commands, also the feedings that a void leaves;
 * tests/http/readme.test.ts compares the transitions with the diagram of docs/architecture.md.
 */
import { expect, it } from "vitest";
import type { Player } from "../../lib/domain/players/player.ts";
import {
  corpsify,
  cure,
  feedPlayer,
  reviveHuman,
  reviveZombie,
  type TargetCommand,
} from "../../lib/domain/players/transitions.ts";
import { aContext, aGame, aHuman, aPlayer, aZombie } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { T0 } from "./times.ts";

const zombie = deepFreeze(aZombie({ alias: "Zoe" }));
const human = deepFreeze(aHuman({ alias: "Ada" }));

it.each<[TargetCommand, Player, string]>([
  [corpsify, aPlayer({ alias: "Sam" }), "Sam is a spectator: only a human or a zombie can be killed."],
  [cure, human, "Ada is a human: only a zombie can be cured."],
  [reviveHuman, human, "Ada is a human: only a corpse or a spectator can be revived."],
  [reviveZombie, zombie, "Zoe is a zombie: only a corpse or a spectator can be revived."],
  [feedPlayer, { ...zombie, deadline: T0 }, "Zoe is a corpse: only a zombie can be fed."],
])("a wrong state is described in a sentence (%#)", (command, target, detail) => {
  expect(errorOf(() => command({ game: aGame(), target, actor: "gm" }, aContext())).detail).toBe(detail);
});
