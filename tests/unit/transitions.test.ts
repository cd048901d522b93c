/**
 * The feedings that a zombie stores, and the errors of commands in a wrong state. The battery's model tests all
 * commands; tests/http/readme.test.ts compares the transitions with the diagram of docs/architecture.md.
 */
import { expect, it } from "vitest";
import type { Feeding, Player } from "../../lib/domain/players/player.ts";
import {
  corpsify,
  cure,
  feedPlayer,
  reviveHuman,
  reviveZombie,
  type TargetCommand,
} from "../../lib/domain/players/transitions.ts";
import { asFed } from "../../lib/domain/starvation/feeding.ts";
import { aContext, aCorpse, aGame, aHuman, aPlayer, aZombie } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

const MEALS: Feeding[] = [
  { hunt: null, deadline: T0 + HOUR, epoch: 0, at: iso(T0 - DAY) },
  { hunt: "h", deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
];
const fedByHunts = { last_fed_at: iso(T0 - HOUR), meals: MEALS };
const zombie = deepFreeze(aZombie({ alias: "Zoe", infected_by: "eve", ...fedByHunts }));
const human = deepFreeze(aHuman({ alias: "Ada" }));

it("a zombie stores each hunt that fed it, combines all other feedings, and drops those of a former life", () => {
  const fed = (meals: Feeding[], hunt: string | null) =>
    asFed(deepFreeze({ ...zombie, meals }), aGame(), T0, 2 * DAY, hunt).meals;
  const [own, given] = [null, "h2"].map((hunt) => ({ hunt, deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) }));
  const first = { hunt: null, deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) };
  expect([fed([], "h2"), fed([], null), fed(MEALS, null)]).toEqual([[first, given], [], [own, MEALS[1]]]);
  const target = aCorpse({ meals: MEALS });
  for (const revive of [reviveZombie, reviveHuman])
    expect(revive({ game: aGame(), target, actor: "gm" }, aContext()).player.meals).toEqual([]);
});

it.each<[TargetCommand, Player, string]>([
  [corpsify, aPlayer({ alias: "Sam" }), "Sam is a spectator: only a human or a zombie can be killed."],
  [cure, human, "Ada is a human: only a zombie can be cured."],
  [reviveHuman, human, "Ada is a human: only a corpse or a spectator can be revived."],
  [reviveZombie, zombie, "Zoe is a zombie: only a corpse or a spectator can be revived."],
  [feedPlayer, { ...zombie, deadline: T0 }, "Zoe is a corpse: only a zombie can be fed."],
])("a wrong state is described in a sentence (%#)", (command, target, detail) => {
  expect(errorOf(() => command({ game: aGame(), target, actor: "gm" }, aContext())).detail).toBe(detail);
});
