/** The contract's table of states (section 2), and what each command says where it is not allowed. The model plays it all. */
import { describe, expect, it } from "vitest";
import { type Feeding, LIVING, type Player, STATES, type Zombie } from "../../lib/domain/player.ts";
import {
  asFed,
  corpsify,
  cure,
  feedPlayer,
  reviveHuman,
  reviveZombie,
  type TargetCommand,
} from "../../lib/domain/transitions.ts";
import { aContext, aCorpse, aGame, aHuman, aPlayer, aZombie } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

it("the table of states is the contract's", () => {
  const [human, zombie, corpse] = ["human", "zombie", "corpse"];
  const withdraw = { make_spectator: "spectator" };
  const revive = { revive_h: human, revive_z: zombie };
  const kill = { corpsify: corpse, checkpoint_kill: corpse };
  expect(Object.entries(STATES).map(([state, { next }]) => [state, next])).toEqual([
    ["human", { hunt: zombie, report_tagged: zombie, draw_original: zombie, ...kill, ...withdraw }],
    ["zombie", { starve: corpse, ...kill, cure: human, void_hunt: human, ...withdraw }],
    ["corpse", { ...revive, void_hunt: human, ...withdraw }],
    ["spectator", { admit: human, enrol: human, ...revive }],
  ]);
  expect(LIVING).toEqual(["human", "zombie"]);
  const counted = Object.entries(STATES).map(([state, { counter }]) => [state, counter]);
  expect(counted).toEqual(["human", "zombie", "corpse", "spectator"].map((one) => [one, `${one}s`]));
});

const MEALS: Feeding[] = [
  { hunt: null, deadline: T0 + HOUR, epoch: 0, at: iso(T0 - DAY) },
  { hunt: "h", deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
];
const fedByHunts = { last_fed_at: iso(T0 - HOUR), meals: MEALS };
const zombie = deepFreeze(aZombie({ alias: "Zoe", infected_by: "eve", ...fedByHunts }));
const human = deepFreeze(aHuman({ alias: "Ada" }));

describe("a zombie that is fed", () => {
  const fed = (before: Partial<Zombie>, period: number, hunt: string | null = null, instant = T0) =>
    asFed(deepFreeze({ ...zombie, meals: [], ...before }), aGame(), instant, period, hunt);

  it("remembers each hunt that fed it, and no game master's meal", () => {
    expect(fed({}, 2 * DAY, "h2").meals).toEqual([
      { hunt: null, deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
      { hunt: "h2", deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) },
    ]);
    expect(fed({}, 2 * DAY).meals).toEqual([]);
    const merged = { hunt: null, deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) };
    expect(fed({ meals: MEALS }, 2 * DAY).meals).toEqual([merged, MEALS[1]]);
  });

  it("has no meals of a former life", () => {
    const revived = (command: TargetCommand) =>
      command({ game: aGame(), target: aCorpse({ meals: MEALS }), actor: "gm" }, aContext()).player;
    expect([reviveZombie, reviveHuman].map((command) => revived(command).meals)).toEqual([[], []]);
  });
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
